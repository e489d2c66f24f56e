"""run and accept: an operator through all stages, and the judge of what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report
from ferrotile.cli.console import JSON, SOURCE_MAP, TARGET, checked_map, err, faults, out, print_json
from ferrotile.core import InputError
from ferrotile.core.confined import Confinement, strongest
from ferrotile.workflow import run as runs

SOURCE = Annotated[str, typer.Argument(metavar="INPUT", help="A .tileirbc file, a folder of them, or file.py::kernel.")]
FOLDER = Annotated[Path, typer.Option("--out", help="The run's folder; a run that was cut off goes on there.")]
SIGNATURE = Annotated[str | None, typer.Option("--signature", help="Mangled symbol or spec file, for file.py::kernel.")]

AGENT = Annotated[list[str], typer.Option("--agent", metavar="STAGE=COMMAND", help="A command that takes a stage.")]
TIME = Annotated[float, typer.Option("--agent-time", min=0.1, help="Seconds that such a command has for a try.")]
TRIES = Annotated[int, typer.Option("--agent-tries", min=1, max=5, help="Tries that such a command has.")]
NETWORK = Annotated[bool, typer.Option("--agent-network", help="Let such commands use the network.")]
WRITES = Annotated[
    list[Path], typer.Option("--agent-writes", help="A further folder that they may write, as for logs.")
]
CONFINEMENT = Annotated[
    Confinement | None,
    typer.Option("--agent-confinement", help="What keeps them in their folder.", show_default="the strongest here"),
]


def run(
    source: SOURCE,
    folder: FOLDER,
    target: TARGET = "sm_90",
    signature: SIGNATURE = None,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    agent: AGENT = [],  # noqa: B006
    agent_time: TIME = 600.0,
    agent_tries: TRIES = 2,
    agent_network: NETWORK = False,
    agent_writes: WRITES = [],  # noqa: B006
    agent_confinement: CONFINEMENT = None,
    as_json: JSON = False,
) -> None:
    """Take an operator through all stages: analysis, Rust, numbers, machine code; what fails is looked into.

    Exit codes: 0 complete, 5 all but the speed is shown, 1 something is not shown, 2 your input, 3 refused,
    4 environment. `ferrotile accept` judges the folder.
    """
    with faults(as_json):
        limits = limits_of(agent_time, agent_tries, agent_network, agent_writes, agent_confinement)
        given = {"agents": agents_of(agent), "limits": limits}
        request = runs.request_of(
            source, target, {"signature": signature, "source_map": checked_map(source_map), **given}
        )
        warn(agent, agent_confinement)

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


def limits_of(
    time_s: float, tries: int, network: bool, writable: list[Path], confinement: Confinement | None
) -> dict[str, object]:
    """The fields of `AgentLimits`."""
    folders = [str(path.resolve()) for path in writable]
    return {
        "time_s": time_s, "tries": tries, "network": network, "writable": folders, "confinement": confinement,
    }  # fmt: skip


def agents_of(entries: list[str]) -> dict[str, str]:
    """Commands by stage. Raises: FT902."""
    pairs = [entry.partition("=") for entry in entries]
    for entry, (stage, separator, command) in zip(entries, pairs, strict=True):
        if not (stage and separator and command):
            raise InputError("FT902", f"`--agent {entry}` is not of the form STAGE=COMMAND")
    return {stage: command for stage, _, command in pairs}


def warn(agents: list[str], asked: Confinement | None) -> None:
    """Say so where nothing keeps a command in its folder."""
    if agents and (asked or strongest()) is Confinement.NONE:
        err.print("warning: commands run unconfined here; what they write elsewhere is only found afterwards")


def _show(what: object) -> None:
    if isinstance(what, dict):
        print_json(what)
        return
    assert isinstance(what, list)
    for line in what:
        out.print(line, soft_wrap=True)
