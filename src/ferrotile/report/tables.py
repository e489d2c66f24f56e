"""Tables of rows, findings and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ferrotile.report.text import STYLES

if TYPE_CHECKING:
    from ferrotile.workflow import Covered, Finding, Row

_MARKS = {True: Text("yes", style="green"), False: Text("no", style="bold red")}


def rows_table(rows: Sequence[Row]) -> Table:
    """One line an input: verdict, machine code, and what is left of unsafe code and checks."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("input", overflow="fold")
    for heading in ("verdict", "machine code", "code"):
        table.add_column(heading)
    for heading in ("unsafe", "checks", "Rust / Python lines", "seconds"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            Text(str(row.verdict), style=STYLES[row.verdict]),
            str(row.sass),
            row.code or "",
            _count(row.unsafe),
            _count(row.checks_in_kernel),
            _ratio(row),
            f"{sum(value for step, value in row.seconds.items() if step not in ('total', 'sass')):.2f}",
        )
    return table


def findings_text(findings: Sequence[Finding]) -> list[Text]:
    """What doctor found, one line each, and under what is wrong the command that cures it."""
    width = max(len(finding.name) for finding in findings)
    lines = []
    for finding in findings:
        mark = "ok   " if finding.is_well else "WRONG" if finding.is_needed else "note "
        style = "green" if finding.is_well else "bold red" if finding.is_needed else "yellow"
        lines.append(Text.assemble((mark, style), f" {finding.name:{width}}  {finding.found}"))
        if not finding.is_well:
            lines.append(Text(f"      {'':{width}}  cure: {finding.cure}"))
    return lines


def coverage_table(covered: Sequence[Covered]) -> Table:
    """One line an operation."""
    table = Table(show_edge=False, pad_edge=False)
    for heading in ("operation", "opcode", "since", "codec", "verifier", "effect", "laws", "rust", "example"):
        table.add_column(heading, overflow="fold")
    for one in covered:
        rust = Text("yes", style="green") if one.rust == "yes" else Text(f"{one.rust}: {one.reason}", style="yellow")
        table.add_row(
            one.name,
            f"{one.opcode:#04x}",
            one.since,
            _MARKS[one.codec],
            _MARKS[one.verifier],
            one.effect or Text("none", style="bold red"),
            ", ".join(one.laws),
            rust if one.rust else Text("missing", style="bold red"),
            _MARKS[one.example],
        )
    return table


def _count(value: int | None) -> str:
    return "" if value is None else str(value)


def _ratio(row: Row) -> str:
    if not row.lines:
        return ""
    return f"{row.lines} / {row.python_lines}" if row.python_lines else f"{row.lines}"
