"""export: translated kernels as a library that C, and everything that can call C, can use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, checked_map, faults, out, print_json

app = typer.Typer(no_args_is_help=True, help="Make a library of translated kernels.")
BUNDLES = Annotated[list[Path], typer.Argument(metavar="BUNDLE...", help="Folders that `translate --out` wrote.")]
OUT = Annotated[Path, typer.Option("--out", help="Folder of the crate, the C header and the cffi cdef.")]
AOT = Annotated[str, typer.Option("--aot", metavar="SM,...", help="Embed machine code for these only.")]
RUNTIME = Annotated[Path | None, typer.Option("--runtime", help="Tree that holds runtime/launch.")]
NO_BUILD = Annotated[bool, typer.Option("--no-build", help="Write the crate, and do not run cargo.")]


@app.callback()
def export() -> None:
    """Make a library of translated kernels."""


@app.command("c")
def export_c(
    bundles: BUNDLES,
    folder: OUT,
    aot: AOT = "",
    runtime: RUNTIME = None,
    no_build: NO_BUILD = False,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    as_json: JSON = False,
) -> None:
    """Write one crate with a C function for each kernel, and build libcutile_kernels.so of it.

    Machine code is embedded: the library needs the CUDA driver and nothing else. Exit codes: 0 done, 2 your input,
    3 not proved or without a form in C, 4 environment.
    """
    with faults(as_json):
        targets = tuple(target for target in aot.split(",") if target)
        options = workflow.ExportOptions(targets, runtime, not no_build, checked_map(source_map))
        exported = workflow.export_c(bundles, folder, options)
        if as_json:
            print_json(report.export_json(exported))
        else:
            for line in report.export_text(exported):
                out.print(line, soft_wrap=True)
