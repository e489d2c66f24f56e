"""generalize: one generic kernel for all specializations of a Python kernel."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, TARGET, checked_map, err, faults, out, print_json
from ferrotile.cli.translate import CORES, INPUTS, JOBS, SIGNATURE, checked_target
from ferrotile.report.text import print_all

OUT = Annotated[
    Path | None, typer.Option("--out", help="Write DIR/<kernel>/{kernel.rs,generic.json} and a bundle each.")
]

LIMIT = Annotated[int, typer.Option("--limit", min=1, help="Seconds that one kernel may take; then it is refused.")]


def generalize(
    inputs: INPUTS,
    out_folder: OUT = None,
    target: TARGET = "sm_90",
    jobs: JOBS = CORES,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    signature: SIGNATURE = None,
    limit_s: LIMIT = 3600,
    as_json: JSON = False,
) -> None:
    """Write one generic Rust kernel for all specializations of a Python kernel, and prove it for each of them.

    Constants and element types become generics, what only some specializations do an `if` over constants; what
    has no common text is a variant of its own, with a condition that tells when it is the one.
    """
    with faults(as_json):
        options = workflow.Options(
            checked_target(target), out_folder, jobs=jobs, source_map=checked_map(source_map), signature=signature
        )
    with faults(as_json, options.source_map):
        began = time.perf_counter()
        kernels = _generalized(inputs, options, limit_s, as_json)
        exit_code = workflow.worst([kernel.exit_code for kernel in kernels])
        if as_json:
            print_json(report.generics_summary(kernels, time.perf_counter() - began, exit_code))
        else:
            out.print(report.generics_table(kernels))
            for kernel in kernels:
                print_all(out, list(report.generic_text(kernel)))
    raise typer.Exit(exit_code)


def _generalized(
    inputs: list[str], options: workflow.Options, limit_s: int, as_json: bool
) -> list[workflow.GenericKernel]:
    kernels: list[workflow.GenericKernel] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("kernels", total=None)

        def watch(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        for kernel in workflow.generalize(workflow.expand(inputs, options), options, watch, limit_s=limit_s):
            kernels.append(kernel)
            if as_json:
                print_json(kernel.to_json())
    return kernels
