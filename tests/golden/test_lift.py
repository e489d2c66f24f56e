"""The Rust of each example, as it is reviewed: `pytest tests/golden --update-golden` writes the files anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.capture import Specialization, discover, export
from ferrotile.core.store import write_text
from ferrotile.lift import SourceFinder, lift

FOLDER = Path(__file__).parent / "lift"
Row = tuple[Path, str, Specialization]


def _name(row: Row) -> str:
    return re.sub(r"\W+", "-", f"{row[0].stem} {row[2].label}").strip("-")


ROWS = {_name(row): row for row in discover(Path(__file__).parents[2] / "examples")}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_example_has_the_reviewed_rust(name: str, request: pytest.FixtureRequest) -> None:
    (capture,) = export(*ROWS[name])
    text = lift(ir.decode(capture.bytecode), SourceFinder([])).text
    golden = FOLDER / f"{name}.rs"
    if request.config.getoption("--update-golden"):
        write_text(golden, text)
    assert golden.is_file(), f"no {golden.name}; run with --update-golden"
    assert text == golden.read_text(), f"{golden.name} differs; run with --update-golden and review the change"


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.rs")} == set(ROWS)
