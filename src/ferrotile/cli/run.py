"""run and accept: an operator through all stages, and the judge of what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report
from ferrotile.cli.agents import Agents, with_agents
from ferrotile.cli.console import JSON, SOURCE_MAP, TARGET, checked_map, faults, out, print_json
from ferrotile.workflow import run as runs

SOURCE = Annotated[str, typer.Argument(metavar="INPUT", help="A .tileirbc file, a folder of them, or file.py::kernel.")]
FOLDER = Annotated[Path, typer.Option("--out", help="The run's folder; a run that was cut off goes on there.")]
SIGNATURE = Annotated[str | None, typer.Option("--signature", help="Mangled symbol or spec file, for file.py::kernel.")]


@with_agents
def run(
    source: SOURCE,
    folder: FOLDER,
    target: TARGET = "sm_90",
    signature: SIGNATURE = None,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    as_json: JSON = False,
    *,
    agents: Agents,
) -> None:
    """Take an operator through all stages: analysis, Rust, numbers, machine code; what fails is looked into.

    Exit codes: 0 complete, 5 all but the speed is shown, 1 something is not shown, 2 your input, 3 refused,
    4 environment. `ferrotile accept` judges the folder.
    """
    with faults(as_json):
        given = {"agents": agents.commands(), "limits": agents.limits}
        request = runs.request_of(
            source, target, {"signature": signature, "source_map": checked_map(source_map), **given}
        )
        agents.warn()

        def watch(step: runs.Step) -> None:
            _show(report.step_json(step) if as_json else report.step_text(step))

        outcome = runs.run(folder.resolve(), request, runs.makers_of(request), watch)
        _show(report.outcome_json(outcome) if as_json else report.outcome_text(outcome))
    raise typer.Exit(outcome.exit_code)


def accept(folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")], as_json: JSON = False):
    """Check a run against the output contract, make every claim again, and say whether it is accepted.

    Exit codes: 0 accepted, 1 something is not as the run says, 5 it is, but not all is shown, 2 no run,
    4 something could not be made again here.
    """
    with faults(as_json):
        answer = runs.accept(folder)
        _show(report.acceptance_json(answer) if as_json else report.acceptance_text(answer))
    raise typer.Exit(answer.exit_code)


def _show(what: object) -> None:
    if isinstance(what, dict):
        print_json(what)
        return
    assert isinstance(what, list)
    for line in what:
        out.print(line, soft_wrap=True)
