"""transplant: both programs of a bundle under both launchers; the table names the owner of a fault."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ferrotile import report, workflow
from ferrotile import transplant as room
from ferrotile.cli.console import JSON, SOURCE_MAP, checked_map, faults, out, print_json
from ferrotile.cli.interpret import checked_grid, pairs
from ferrotile.core import InputError, store
from ferrotile.workflow import run as operators

FOLDER = Annotated[Path, typer.Argument(metavar="BUNDLE|CASE", help="What `translate --out` or `--pack` wrote.")]
PACK = Annotated[Path | None, typer.Option("--pack", metavar="DIR", help="Write the case there; launch nothing.")]
INPUTS = Annotated[list[str], typer.Option("--inputs", "-i", metavar="NAME=FILE.npy", help="An array of the launch.")]
SCALARS = Annotated[list[str], typer.Option("--scalar", metavar="NAME=VALUE", help="A number of the launch.")]
CAPTURE = Annotated[Path | None, typer.Option("--capture", metavar="DIR", help="Launch as a capture recorded it.")]
GRID = Annotated[str | None, typer.Option("--grid", metavar="X[,Y[,Z]]", help="How many blocks to launch.")]
EXPECT = Annotated[list[str], typer.Option("--expect", metavar="NAME=FILE.npy", help="What is right of an array.")]
ORACLE = Annotated[str, typer.Option("--oracle", metavar="interpreter|reference", help="Who says what is right.")]
ANALYSIS = Annotated[Path | None, typer.Option("--analysis", metavar="FILE", help="Tolerances of an analysis.json.")]
LAUNCHES = Annotated[int | None, typer.Option("--launches", min=1, help="Launches of each cell, on the same bytes.")]
EXIT_OF = {"NOT REPRODUCED": 0, "OWNED": 1, "UNDECIDED": 5, "FLAKY": 5}


def transplant(
    folder: FOLDER,
    pack: PACK = None,
    inputs: INPUTS = [],  # noqa: B006 - typer wants a plain default
    scalar: SCALARS = [],  # noqa: B006
    recording: CAPTURE = None,
    grid: GRID = None,
    expect: EXPECT = [],  # noqa: B006
    oracle: ORACLE = "interpreter",
    analysis: ANALYSIS = None,
    launches: LAUNCHES = None,
    source_map: SOURCE_MAP = [],  # noqa: B006
    as_json: JSON = False,
) -> None:
    """Run both programs of a bundle under both launchers on a GPU, and name the owner of a fault: host or kernel.

    Exit codes: 0 not reproduced, 1 an owner is named, 2 your input, 4 no GPU, 5 undecided or flaky.
    """
    with faults(as_json):
        asked = room.Asked(
            workflow.Given(pairs("--inputs", inputs), pairs("--scalar", scalar)),
            recording, None if grid is None else checked_grid(grid),
        )  # fmt: skip
        right = room.Right(pairs("--expect", expect), _is_interpreter(oracle), _tolerances(analysis))
        setting = room.Setting(asked, right, checked_map(source_map))
        if room.is_case(folder):
            _require_nothing(folder, setting, pack)
            code = _run(folder, launches, as_json)
        elif pack is not None:
            code = _pack(folder, pack, setting, as_json)
        else:
            with store.scratch() as scratch:
                room.make_case(folder, scratch / folder.name, setting)
                code = _run(scratch / folder.name, launches, as_json)
    raise typer.Exit(code)


def _run(folder: Path, launches: int | None, as_json: bool) -> int:
    made = room.transplant(folder, launches=launches or room.LAUNCHES)
    if as_json:
        print_json(report.transplant_json(made))
    else:
        out.print(report.transplant_table(made))
        for line in report.transplant_text(made):
            out.print(line, markup=False, soft_wrap=True)
    return EXIT_OF[made.decision.answer]


def _pack(folder: Path, pack: Path, setting: room.Setting, as_json: bool) -> int:
    case = room.make_case(folder, pack, setting)
    if as_json:
        print_json(report.case_json(case, str(pack)))
    else:
        for line in report.case_text(case, str(pack)):
            out.print(line, markup=False, soft_wrap=True)
    return 0


def _is_interpreter(oracle: str) -> bool:
    if oracle not in ("interpreter", "reference"):
        raise InputError("FT902", f"`--oracle {oracle}` is neither `interpreter` nor `reference`")
    return oracle == "interpreter"


def _tolerances(analysis: Path | None) -> dict[str, room.Near] | None:
    """Those of an analysis.json. Raises: FT811."""
    if analysis is None:
        return None
    found = operators.read(analysis, operators.Analysis).tolerances
    return {dtype: room.Near(atol=one.atol, rtol=one.rtol) for dtype, one in found.items()}


def _require_nothing(folder: Path, setting: room.Setting, pack: Path | None) -> None:
    """A case has its launch. Raises: FT902."""
    if pack is not None or setting != room.Setting():
        raise InputError(
            "FT902", f"`{folder}` is a case, which has its launch and its oracle; give a bundle to change them"
        )
