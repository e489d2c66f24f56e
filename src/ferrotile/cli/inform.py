"""doctor, ops and explain."""

from __future__ import annotations

import difflib
from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, err, faults, out, print_json
from ferrotile.core import CODES, Code, InputError


def doctor(as_json: JSON = False) -> None:
    """Look at every tool and say what is wrong and what cures it."""
    with faults(as_json):
        if not as_json and err.is_terminal:
            with err.status("looking at tools"):
                findings = workflow.examine()
        else:
            findings = workflow.examine()
        is_ready = workflow.is_ready(findings)
        if as_json:
            print_json({"ok": is_ready, "findings": [asdict(finding) for finding in findings]})
        else:
            for line in report.findings_text(findings):
                out.print(line, soft_wrap=True)
            out.print()
            out.print("all is well" if is_ready else "something that is needed is wrong; the last column cures it")
    raise typer.Exit(workflow.EXIT_OK if is_ready else workflow.EXIT_ENVIRONMENT)


def ops(as_json: JSON = False) -> None:
    """Print the operation table: what is covered per column, and what is missing."""
    with faults(as_json):
        covered = workflow.coverage()
        missing = {column: [one.name for one in covered if column in one.missing] for column in workflow.REQUIRED}
        counts = {column: len(covered) - len(names) for column, names in missing.items()}
        refused = sum(1 for one in covered if one.rust.startswith("FT"))
        if as_json:
            print_json(
                {
                    "operations": [asdict(one) for one in covered],
                    "covered": counts,
                    "refused": refused,
                    "missing": {column: names for column, names in missing.items() if names},
                }
            )
        else:
            out.print(report.coverage_table(covered))
            out.print()
            of_all = ", ".join(f"{column} {count} of {len(covered)}" for column, count in counts.items())
            out.print(f"{of_all} ({refused} of them refused with a reason)")
            for column, names in missing.items():
                if names:
                    out.print(f"missing in {column}: {', '.join(names)}")
    raise typer.Exit(workflow.EXIT_DIFFERS if any(missing.values()) else workflow.EXIT_OK)


def explain(
    code: Annotated[str | None, typer.Argument(help="A code such as FT005; without one, all are listed.")] = None,
    as_json: JSON = False,
) -> None:
    """Say what a code means and what cures it."""
    with faults(as_json):
        rows = list(CODES.values()) if code is None else [_row(code)]
        for row in rows:
            if as_json:
                print_json(asdict(row))
            elif code is None:
                out.print(Text.assemble((row.code, "bold"), f" {row.title}"))
            else:
                out.print(Text.assemble((f"{row.code} {row.title}", "bold"), f"\n{row.meaning}\ncure: {row.cure}"))


def _row(code: str) -> Code:
    wanted = code.upper()
    if wanted in CODES:
        return CODES[wanted]
    close = difflib.get_close_matches(wanted, CODES, n=3)
    hint = f"close ones are {', '.join(close)}" if close else "`ferrotile explain` lists all codes"
    raise InputError("FT901", f"there is no code `{code}`", hint=hint)
