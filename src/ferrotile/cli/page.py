"""report: a run as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile.cli.console import JSON, SOURCE_MAP, checked_map, err, faults, out, print_json

FOLDER = Annotated[Path, typer.Argument(metavar="RUN|BUNDLES", help="What `run --out` or `translate --out` wrote.")]
OUT = Annotated[Path, typer.Option("--out", help="The page to write.")]
TIMES = Annotated[
    Path | None, typer.Option("--times", metavar="FILE", help="What `bench run` or `bench fill` wrote: plot it.")
]
NO_SASS = Annotated[bool, typer.Option("--no-sass", help="Leave machine code out: it takes seconds a kernel.")]


def report_page(
    folder: FOLDER,
    page: OUT,
    no_sass: NO_SASS = False,
    times: TIMES = None,
    source_map: SOURCE_MAP = [],  # noqa: B006 - typer wants a plain default
    as_json: JSON = False,
) -> None:
    """Write one self-contained HTML page: Python, Tile IR, Rust, machine code, by source line; with times, plots.

    Exit codes: 0 done, 2 your input, 4 environment.
    """
    with faults(as_json), err.status("report") as status:
        options = workflow.SideOptions(not no_sass, times, checked_map(source_map), status.update)
        sides = workflow.sides_of(folder, options)
        size_bytes = report.write_page(sides, page)
    if as_json:
        print_json(report.page_json(sides, str(page), size_bytes))
    else:
        out.print(f"{len(sides.kernels)} specializations, {size_bytes:,} bytes in {page}", soft_wrap=True)
