"""export: translated kernels as a library that C, and everything that can call C, can use, or as a Rust crate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, checked_map, err, faults, out, print_json

app = typer.Typer(no_args_is_help=True, help="Make a library or a crate of translated kernels.")
BUNDLES = Annotated[list[Path], typer.Argument(metavar="BUNDLE...", help="Folders that `translate --out` wrote.")]
OUT = Annotated[Path, typer.Option("--out", help="Folder to write.")]
AOT = Annotated[str, typer.Option("--aot", metavar="SM,...", help="Embed machine code for these only.")]
JIT = Annotated[bool, typer.Option("--jit", help="Embed the programs, and compile one at its first call on a GPU.")]
RUNTIME = Annotated[Path | None, typer.Option("--runtime", help="Tree that holds runtime/launch.")]
NO_BUILD = Annotated[bool, typer.Option("--no-build", help="Write the crate, and do not run cargo.")]

LAUNCHES = Annotated[Path | None, typer.Option("--launches", help="A capture; grids are fitted to its launches.")]
NAME = Annotated[str, typer.Option("--name", help="Name of the crate.")]
NO_RECORD = Annotated[bool, typer.Option("--no-record", help="Leave out recorded calls, which take an interpretation.")]


@app.callback()
def export() -> None:
    """Make a library or a crate of translated kernels."""


@app.command("c")
def export_c(
    bundles: BUNDLES,
    folder: OUT,
    aot: AOT = "",
    jit: JIT = False,
    runtime: RUNTIME = None,
    no_build: NO_BUILD = False,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    as_json: JSON = False,
) -> None:
    """Write one crate with a C function for each kernel, and build libcutile_kernels.so of it.

    Machine code is embedded: the library needs the CUDA driver and nothing else. With `--jit` it is for any GPU and
    needs tileiras, with `--jit --aot SM,...` only where no machine code is embedded. Exit codes: 0 done, 2 your input,
    3 not proved or without a form in C, 4 environment.
    """
    with faults(as_json):
        targets = tuple(target for target in aot.split(",") if target)
        options = workflow.ExportOptions(targets, runtime, not no_build, checked_map(source_map), jit)
        exported = workflow.export_c(bundles, folder, options)
        if as_json:
            print_json(report.export_json(exported))
        else:
            for line in report.export_text(exported):
                out.print(line, soft_wrap=True)


@app.command("crate")
def export_crate(
    bundles: BUNDLES,
    folder: OUT,
    name: NAME = "cutile-operators",
    launches: LAUNCHES = None,
    aot: AOT = "",
    jit: JIT = False,
    runtime: RUNTIME = None,
    no_build: NO_BUILD = False,
    no_record: NO_RECORD = False,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    as_json: JSON = False,
) -> None:
    """Write a plain Rust crate with a checked host function for each kernel, its documentation, tests and an example.

    Machine code is embedded: no tool chain at run time; `--jit` as for `export c`. Exit codes: 0 done, 2 your input,
    3 not proved or without a form, 4 environment.
    """
    with faults(as_json), err.status("export") as status:
        targets = tuple(target for target in aot.split(",") if target)
        options = workflow.CrateOptions(
            name, targets, launches, runtime, not no_build, not no_record, checked_map(source_map), status.update, jit
        )
        exported = workflow.export_crate(bundles, folder, options)
    if as_json:
        print_json(report.crate_json(exported))
    else:
        for line in report.crate_text(exported):
            out.print(line, soft_wrap=True)
