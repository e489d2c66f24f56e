"""batch: many operators through all stages, each alone; accepted ones are committed."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live

from ferrotile import report
from ferrotile.cli.agents import Agents, with_agents
from ferrotile.cli.console import JSON, SOURCE_MAP, TARGET, checked_map, err, faults, out, print_json
from ferrotile.workflow import operators

SOURCES = Annotated[
    list[str],
    typer.Argument(metavar="INPUT...", help="Captures, folders of .py with spec files or of .tileirbc, single files."),
]
FOLDER = Annotated[Path, typer.Option("--out", help="The batch's folder; one that was cut off goes on there.")]
OPS = Annotated[str, typer.Option("--ops", metavar="all|NAME,NAME", help="Which operators of the inputs.")]
REPO = Annotated[Path | None, typer.Option("--repo", metavar="CHECKOUT", help="Commit accepted operators to it.")]
INTO = Annotated[str, typer.Option("--into", help="Folder of an operator's kernels in the checkout.")]
HIDE = Annotated[list[str], typer.Option("--hide", metavar="GLOB", help="What is there already, taken out of sight.")]
BRANCHES = Annotated[str, typer.Option("--branches", metavar="PREFIX", help="Branches are named PREFIX/OPERATOR.")]
PUSH = Annotated[str | None, typer.Option("--push", metavar="REMOTE", help="Push the branches of accepted operators.")]
GAPS = Annotated[bool, typer.Option("--with-gaps", help="Commit also what is all shown but its speed.")]
BATCH_TRIES = Annotated[int, typer.Option("--tries", min=1, max=5, help="Tries that an operator has.")]
BATCH_TIME = Annotated[float, typer.Option("--time", min=1, help="Seconds that a try has.")]
JOBS = Annotated[int, typer.Option("--jobs", min=1, help="Operators at a time.", show_default="processors")]
SCHEDULER = Annotated[
    str | None, typer.Option("--scheduler", metavar="ADDRESS|local", help="Work on a dask.distributed cluster.")
]
LABEL = Annotated[str, typer.Option("--label", metavar="cpu|gpu", help="Which workers of the cluster.")]
HIDDEN = ["**/*.rs"]
PROCESSORS = os.cpu_count() or 1


@with_agents
def batch(
    sources: SOURCES,
    folder: FOLDER,
    ops: OPS = "all",
    repo: REPO = None,
    into: INTO = "cutile_rs/{op}",
    hide: HIDE = HIDDEN,
    branches: BRANCHES = "ferrotile",
    push: PUSH = None,
    with_gaps: GAPS = False,
    target: TARGET = "sm_90",
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    tries: BATCH_TRIES = 2,
    time: BATCH_TIME = 3600.0,
    jobs: JOBS = PROCESSORS,
    scheduler: SCHEDULER = None,
    label: LABEL = "cpu",
    as_json: JSON = False,
    *,
    agents: Agents,
) -> None:
    """Take many operators through all stages, judge each, commit the accepted ones, keep a diagnosis of the others.

    Exit codes: 0 all accepted, 5 all but the speed is shown, 1 some not accepted, 2 your input, 3 refusals only,
    4 environment, 70 something was attempted and not judged.
    """
    with faults(as_json):
        options = {"source_map": checked_map(source_map), "with_gaps": with_gaps, "tries": tries, "time_s": time}
        options |= {"agents": agents.commands(), "limits": agents.limits, "checkout": None}
        if repo is not None:
            fields = {"into": into, "hide": hide, "branches": branches, "push": push}
            options["checkout"] = operators.checkout_of(repo, fields)
        request = operators.batch_request(sources, ops, target, options)
        _warn(agents, repo is not None)
        workers = operators.on_cluster(scheduler, jobs, label) if scheduler else operators.locally(jobs)
        summary = _shown(folder.resolve(), request, workers, as_json)
    raise typer.Exit(summary.exit_code)


def _shown(
    root: Path, request: operators.BatchRequest, workers: operators.Scheduler, as_json: bool
) -> operators.Summary:
    """Run the batch with a table that lives, lines where there is no terminal, or JSON lines."""
    with ExitStack() as stack:

        def begin(plan: operators.Plan) -> None:
            if sys.stdout.isatty() and not as_json:
                table = lambda: report.batch_table(operators.progress(root, plan))  # noqa: E731
                live = Live(get_renderable=table, console=out, refresh_per_second=2)
                stack.enter_context(live)

        def watch(result: operators.Result) -> None:
            _print(report.result_json(result) if as_json else report.result_text(result))

        summary = operators.batch(root, request, workers, begin, watch)
    _print(report.summary_json(summary) if as_json else report.summary_text(summary))
    return summary


def _print(what: object) -> None:
    if isinstance(what, dict):
        print_json(what)
        return
    assert isinstance(what, list)
    for line in what:
        out.print(line, soft_wrap=True)


def _warn(agents: Agents, has_checkout: bool) -> None:
    """Say so where nothing keeps a run in its folder."""
    if agents.are_unconfined:
        err.print("warning: runs are plain processes here; what they write elsewhere is only found afterwards")
        if has_checkout:
            err.print("warning: what the checkout holds already can be read by them")
