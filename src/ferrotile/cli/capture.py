"""capture."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report
from ferrotile.cli.console import JSON, TARGET, faults, out, print_json
from ferrotile.report.text import print_all

COMMAND = Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="A Python program, pytest, or a script.")]
OUT = Annotated[Path, typer.Option("--out", metavar="DIR", help="Write DIR/index.json and DIR/<kernel>.tileirbc.")]
TUNE = Annotated[str, typer.Option("--tune", help="Of a tuner's candidates record the `first` or `all`.")]
PRETEND = Annotated[bool, typer.Option("--pretend", help="Only record, although there is a GPU.")]
VALUES = Annotated[bool, typer.Option("--values", help="Pretended tensors hold numbers (slower).")]
SIZE = Annotated[
    int | None,
    typer.Option("--multiprocessors", min=1, help="Multiprocessors of the pretended GPU.", show_default="the target's"),
]
KEEP = Annotated[bool, typer.Option("--keep-going", help="Keep what was launched although the command failed.")]


def capture(
    command: COMMAND,
    out_folder: OUT,
    tune: TUNE = "first",
    target: TARGET = "sm_90",
    pretend: PRETEND = False,
    values: VALUES = False,
    multiprocessors: SIZE = None,
    keep_going: KEEP = False,
    as_json: JSON = False,
) -> None:
    """Run a program, and keep the bytecode of every kernel that it launches; no GPU is needed."""
    from ferrotile.capture import RecordOptions, exit_code_of, record

    with faults(as_json):
        options = RecordOptions(target, tune, pretend, values, multiprocessors, keep_going, quiet=as_json)
        began = time.perf_counter()
        index = record(command, out_folder, options)
        seconds, exit_code = time.perf_counter() - began, exit_code_of(index)
        if as_json:
            for line in report.capture_json(index, out_folder, seconds, exit_code):
                print_json(line)
        else:
            out.print(report.capture_table(index))
            out.print()
            print_all(out, report.capture_text(index, out_folder, seconds))
    raise typer.Exit(exit_code)
