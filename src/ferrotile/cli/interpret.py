"""interpret: run a kernel on arrays, without a GPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, checked_map, faults, out, print_json
from ferrotile.core import InputError
from ferrotile.report.text import print_all

KERNEL = Annotated[str, typer.Argument(metavar="KERNEL", help="file.py::kernel, or a .tileirbc file.")]
INPUTS = Annotated[
    list[str],
    typer.Option("--inputs", "-i", metavar="NAME=FILE.npy|NAME=100x64", help="An array, or the shape of an output."),
]
SCALARS = Annotated[list[str], typer.Option("--scalar", metavar="NAME=VALUE", help="A number.")]
GRID = Annotated[str, typer.Option("--grid", metavar="X[,Y[,Z]]", help="How many blocks to run.")]
OUT = Annotated[Path | None, typer.Option("--out", help="Write every array to DIR/NAME.npy.")]
WATCH = Annotated[list[str], typer.Option("--watch", metavar="NAME", help="Print a Python variable in every block.")]
SEED = Annotated[int, typer.Option("--seed", min=0, help="Shuffle the order of blocks; 0: x fastest.")]
SIGNATURE = Annotated[str | None, typer.Option("--signature", help="Mangled symbol or spec file, for file.py::kernel.")]


def interpret(
    kernel: KERNEL,
    inputs: INPUTS = [],  # noqa: B006 - typer wants a plain default
    scalar: SCALARS = [],  # noqa: B006
    grid: GRID = "1",
    out_folder: OUT = None,
    watch: WATCH = [],  # noqa: B006
    seed: SEED = 0,
    signature: SIGNATURE = None,
    source_map: SOURCE_MAP = [],  # noqa: B006
    as_json: JSON = False,
) -> None:
    """Run a kernel on NumPy arrays without a GPU, and say what it does wrong.

    Exit codes: 0 nothing found, 1 findings, 2 your input.
    """
    with faults(as_json):
        options = workflow.Options(out=out_folder, signature=signature, source_map=checked_map(source_map))
        given = workflow.Given(pairs("--inputs", inputs), pairs("--scalar", scalar))

        def show(value: workflow.Watched) -> None:
            if as_json:
                print_json(report.watched_json(value))
            else:
                out.print(report.watched_text(value), soft_wrap=True)

        launch = workflow.Launch(given, checked_grid(grid), seed, tuple(watch), show)
        made = workflow.interpret(kernel, launch, options)
        if as_json:
            print_json(report.interpretation_json(made))
        else:
            print_all(out, report.interpretation_text(made, options.source_map))
    raise typer.Exit(made.exit_code)


def pairs(option: str, entries: list[str]) -> dict[str, str]:
    """NAME=VALUE options by name. Raises: FT902."""
    found: dict[str, str] = {}
    for entry in entries:
        name, separator, value = entry.partition("=")
        if not (name and separator and value):
            raise InputError("FT902", f"`{option} {entry}` is not of the form NAME=VALUE")
        if name in found:
            raise InputError("FT902", f"`{option}` gives `{name}` twice")
        found[name] = value
    return found


def checked_grid(text: str) -> tuple[int, ...]:
    """The numbers of `--grid`. Raises: FT902."""
    if re.fullmatch(r"[1-9]\d{0,9}([,x][1-9]\d{0,9}){0,2}", text) is None:
        raise InputError("FT902", f"`--grid {text}` is not one to three positive numbers such as `4,2`")
    return tuple(map(int, re.split("[,x]", text)))
