"""translate, diff and trace."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, TARGET, checked_map, err, faults, out, print_json
from ferrotile.core import InputError, Level, MachineKind, Style, VerdictKind
from ferrotile.report.text import print_all
from ferrotile.workflow import Options, Row, Sample

INPUTS = Annotated[list[str], typer.Argument(help="A .tileirbc file, FILE::KERNEL, a folder, or file.py::kernel.")]
OUT = Annotated[Path | None, typer.Option("--out", help="Write DIR/<input stem>/{kernel.rs,..,proof.json}.")]
SASS = Annotated[bool, typer.Option("--sass", help="Compare machine code too.")]
SAMPLE = Annotated[
    str | None, typer.Option("--sample", help="Machine code of `1-per-kernel`, of N by seed, `1-per-kernel+N[@SEED]`.")
]
JOBS = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Worker processes.", show_default="all cores")]
SIGNATURE = Annotated[str | None, typer.Option("--signature", help="Mangled symbol or spec file, for file.py::kernel.")]
STYLE = Annotated[
    Style | None,
    typer.Option(
        "--style", help="How closely the Rust keeps to the reference.", show_default="fluent, closer where needed"
    ),
]
LEVEL = Annotated[
    Level,
    typer.Option(
        "--level",
        help="faithful, safe (no `unsafe` where that is proved), auto (safe where --sass finds the same code).",
    ),
]
ASSUME = Annotated[list[str], typer.Option("--assume", help="A fact of every launch, such as `grid.y == 1`.")]
CORES = os.cpu_count() or 1


def translate(
    inputs: INPUTS,
    out_folder: OUT = None,
    sass: SASS = False,
    target: TARGET = "sm_90",
    sample: SAMPLE = None,
    jobs: JOBS = CORES,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    signature: SIGNATURE = None,
    style: STYLE = None,
    level: LEVEL = Level.FAITHFUL,
    as_json: JSON = False,
) -> None:
    """Translate kernels to Rust, and prove that each is the kernel it was made from."""
    with faults(as_json):
        if level is Level.AUTO and not sass and sample is None:
            raise InputError("FT902", "`--level auto` chooses by machine code, so it needs `--sass`")
        options = Options(
            checked_target(target),
            out_folder,
            sass,
            None if sample is None else Sample.parse(sample),
            jobs,
            checked_map(source_map),
            signature,
            style,
            level,
        )
    with faults(as_json, options.source_map):
        began = time.perf_counter()
        rows = _translated(inputs, options, as_json)
        exit_code = workflow.worst([row.exit_code for row in rows])
        summary = report.summarize(rows, time.perf_counter() - began, exit_code)
        if as_json:
            print_json(summary.to_json())
        else:
            _show(rows, options, summary)
    raise typer.Exit(exit_code)


def diff(
    reference: Annotated[Path, typer.Argument(help="The reference's bytecode.")],
    lowered: Annotated[Path, typer.Argument(help="The bytecode to judge.")],
    params: Annotated[Path | None, typer.Option("--params", help="Parameter map, or a proof.json.")] = None,
    rust: Annotated[Path | None, typer.Option("--rust", help="Rust of LOWERED, to say whose fault it is.")] = None,
    assume: ASSUME = [],  # noqa: B006 - typer wants a plain default
    sass: SASS = False,
    target: TARGET = "sm_90",
    as_json: JSON = False,
) -> None:
    """Say whether the second program is the first, and where they differ first."""
    with faults(as_json):
        comparison = workflow.diff(
            reference, lowered, params, target=checked_target(target), sass=sass, rust=rust, facts=tuple(assume)
        )
        if as_json:
            print_json(report.comparison_json(comparison))
        else:
            print_all(out, report.comparison_text(comparison))
    raise typer.Exit(workflow.EXIT_OF_VERDICT[comparison.verdict.kind])


def trace(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="A .tileirbc file or file.py::kernel.")],
    target: TARGET = "sm_90",
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    signature: SIGNATURE = None,
    as_json: JSON = False,
) -> None:
    """Show every form a kernel takes on its way."""
    with faults(as_json):
        options = Options(checked_target(target), source_map=checked_map(source_map), signature=signature)
    with faults(as_json, options.source_map):
        for task in workflow.expand([source], options):
            for form in workflow.trace(task, options):
                if as_json:
                    print_json({"input": task.input, "form": form.title, "text": form.text})
                else:
                    out.rule(form.title, align="left")
                    out.print(form.text, markup=False, soft_wrap=True)


def _translated(inputs: list[str], options: Options, as_json: bool) -> list[Row]:
    rows: list[Row] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("looking for inputs", total=None)

        def watch(state: workflow.Progress) -> None:
            progress.update(bar, description=state.step, completed=state.done, total=state.total)

        for row in workflow.translate_all(workflow.expand(inputs, options), options, watch):
            rows.append(row)
            if as_json:
                print_json(row.to_json())
    return rows


def _show(rows: list[Row], options: Options, summary: report.Summary) -> None:
    out.print(report.rows_table(rows))
    for row in rows:
        is_plain = row.verdict in (VerdictKind.EQUAL, VerdictKind.REFINES) and row.exit_code == 0
        if not is_plain or row.sass in (
            MachineKind.DIFFERS,
            MachineKind.DEVICE_IDENTICAL,
            MachineKind.REFERENCE_REFUSED,
        ):
            out.print()
            print_all(out, report.row_text(row, options.source_map))
    out.print()
    out.print(summary.to_text())


def checked_target(target: str) -> str:
    """The target, if it looks like one. Raises: FT111."""
    if re.fullmatch(r"sm_\d+[af]?", target) is None:
        raise InputError("FT111", f"`{target}` is not a target; targets look like `sm_90`")
    return target
