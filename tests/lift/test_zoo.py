"""The zoo in Rust: every operation, element type and statement of cuTile Python's public language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from proof import proved

from ferrotile import ir
from ferrotile.capture import Specialization, discover, export
from ferrotile.core import FerrotileError, Unsupported
from ferrotile.lift import RustKernel, SourceFinder, Style, lift

FOLDER = Path(__file__).parents[1] / "zoo" / "kernels"
Row = tuple[Path, str, Specialization]

RESULTS = json.loads((FOLDER.parent / "results.json").read_text())
"""How each specialization ends, as docs/matrix.md says it; `python tests/zoo/record.py` writes it."""


def _name(row: Row) -> str:
    return f"{row[0].stem}-{row[1]}-{row[2].label}"


ROWS = {_name(row): row for row in discover(FOLDER)}
SAMPLE = [name for number, name in enumerate(ROWS) if number % 4 == 0]


def _target(name: str) -> str:
    label = ROWS[name][2].label
    return label.split()[0] if label.startswith("sm_") else "sm_90"


@cache
def _bytecode(name: str) -> bytes:
    (capture,) = export(*ROWS[name], _target(name))
    return capture.bytecode


def _judge(name: str, style: Style) -> None:
    recorded = RESULTS[name]
    try:
        text, verdict = proved(_bytecode(name), style, _target(name))
    except FerrotileError as error:
        assert isinstance(error, Unsupported) and error.at is not None, error
        assert error.code == recorded.get("refused"), error
        return
    assert "refused" not in recorded, f"{name} is no longer refused; run `python tests/zoo/record.py {name}`"
    assert str(verdict.kind) == recorded["verdict"], f"{verdict.kind}: {verdict.sentence}\n{text.text}"
    assert set(recorded["laws"]) <= set(verdict.laws), "run `python tests/zoo/record.py`"


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_of_the_zoo_is_the_same_in_rust(name: str) -> None:
    _judge(name, Style.FLUENT)


@pytest.mark.slow
@pytest.mark.parametrize("style", [Style.EXACT_LOOPS, Style.LITERAL], ids=lambda style: style.value)
@pytest.mark.parametrize("name", list(ROWS)[::6])
def test_some_of_the_zoo_is_the_same_in_closer_rust(name: str, style: Style) -> None:
    _judge(name, style)


@pytest.mark.sweep
@pytest.mark.parametrize("style", list(Style), ids=lambda style: style.value)
@pytest.mark.parametrize("name", list(ROWS))
def test_the_zoo_is_the_same_in_rust(name: str, style: Style) -> None:
    _judge(name, style)


def _lifted(name: str, sources: SourceFinder | None) -> RustKernel:
    return lift(ir.decode(_bytecode(name)), sources)


def test_lifting_twice_gives_the_same_text() -> None:
    for name in SAMPLE[:6]:
        assert _lifted(name, SourceFinder([])).text == _lifted(name, SourceFinder([])).text


def test_notes_name_sources_that_were_not_found(tmp_path: Path) -> None:
    name = SAMPLE[0]
    path = str(ROWS[name][0])
    moved = _bytecode(name).replace(path.encode(), ("x" * len(path)).encode())
    kernel = lift(ir.decode(moved), SourceFinder([]))
    assert kernel.names_from == "ir"
    assert any("no source found" in note for note in kernel.notes)
