"""A batch of operators: the live table of operators and stages, a line for each result, and the summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ferrotile.workflow.operators import Progress, Result, Summary

_STAGES = "PABDECF"
_GOOD = ("OK", "PASS", "COMPILED", "ALL_PASS", "DONE")
_COLOURS = {"accepted": "green", "speed not shown": "yellow", "refused": "yellow"}
_MOST_REASONS = 3


def batch_table(rows: Sequence[Progress]) -> Table:
    """Operators by stages: the last verdict of each stage, `...` where one works now."""
    table = Table(box=None, pad_edge=False)
    for name in ("operator", "try", *_STAGES, "answer"):
        table.add_column(name, no_wrap=True, justify="right" if name == "try" else "left")
    for row in rows:
        words = {step.letter: "..." if step.ended is None else str(step.word) for step in row.steps}
        cells = [Text(word, "green" if word in _GOOD else "yellow") for word in (words.get(k, "") for k in _STAGES)]  # pyright: ignore[reportArgumentType, reportCallIssue]
        table.add_row(row.name, str(row.number or ""), *cells, _answer(row.result))
    return table


def result_text(result: Result) -> list[Text]:
    """A line for an operator, its commit, and why it was not accepted."""
    last = result.tries[-1] if result.tries else None
    took = "" if last is None else f"  {sum(one.run_s for one in result.tries):.1f} s, judged in {last.judge_s:.1f} s"
    lines = [Text.assemble(f"{result.operator.name:28}", _answer(result), took)]
    if result.committed is not None:
        where = f", pushed to {result.committed.pushed}" if result.committed.pushed else ""
        lines.append(Text(f"      {result.committed.branch} at {result.committed.commit[:12]}{where}"))
    shown = result.reasons[:_MOST_REASONS]
    lines += [Text(f"      {reason}") for reason in shown]
    if len(result.reasons) > len(shown):
        lines.append(Text(f"      and {len(result.reasons) - len(shown)} more"))
    if result.diagnosis is not None:
        lines.append(Text(f"      diagnosis: {result.diagnosis}"))
    return lines


def result_json(result: Result) -> dict[str, Any]:
    """A result as a JSON line."""
    return result.model_dump(mode="json")


def summary_text(summary: Summary) -> list[Text]:
    """Counts, and that everything attempted was judged."""
    counts = ", ".join(f"{count} {fate}" for fate, count in summary.fates.items())
    lines = [Text(f"{summary.attempted} attempted, {summary.judged} judged: {counts}; {summary.seconds:.1f} s")]
    return lines + [Text(f"not judged: {name}", "bold red") for name in summary.not_judged]


def summary_json(summary: Summary) -> dict[str, Any]:
    """The last JSON line of a batch."""
    return {"summary": summary.model_dump(mode="json")}


def _answer(result: Result | None) -> Text:
    return Text("") if result is None else Text(str(result.fate), _COLOURS.get(str(result.fate), "bold red"))
