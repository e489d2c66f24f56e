"""What a compiler changed is laid at its door, by its entry in FOUND.md; what the text asks for is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from naive import OWN, PAIRS, Pair  # pyright: ignore[reportMissingImports]
from typer.testing import CliRunner

from ferrotile import ir
from ferrotile.check import FAULTS, Blame, blame, blame_refusal, check
from ferrotile.cli.main import app
from ferrotile.core import Unsupported, VerdictKind
from ferrotile.workflow import Options, Task, translate

PAGE = (Path(__file__).parents[2] / "FOUND.md").read_text()
SECTIONS = {section.split()[0]: section for section in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]}


def _blamed(pair: Pair, *, with_text: bool = True) -> Blame | None:
    reference, lowered = (pair.bytes(naive=naive) for naive in (False, True))
    verdict = check(reference, lowered, None, "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS, verdict.sentence
    source = pair.source(naive=True) if with_text else None
    return blame(verdict, ir.decode(reference), ir.decode(lowered), source)


@pytest.mark.parametrize("name", list(PAIRS))
def test_what_the_compiler_changed_is_its_fault(name: str) -> None:
    assert _blamed(PAIRS[name]) == Blame("upstream", name.partition("-")[0])


@pytest.mark.parametrize("name", list(OWN))
def test_what_the_text_asks_for_is_the_fault_of_the_translation(name: str) -> None:
    assert _blamed(OWN[name]) == Blame("translation")


def test_nobody_is_blamed_without_the_text() -> None:
    assert _blamed(PAIRS["F9"], with_text=False) is None


def test_nobody_is_blamed_for_equal_programs() -> None:
    data = PAIRS["F9"].bytes(naive=True)
    source = PAIRS["F9"].source(naive=True)
    assert blame(check(data, data, None, "sm_90"), ir.decode(data), ir.decode(data), source) is None


REFUSALS = {
    "F8": "let i: Tile<i32, { [16] }> = iota(const_shape![16]);\n        let j: Tile<i32, { [16] }> = "
    "addi(i, i, overflow::None);\n        let r: Tile<f32, { [16] }> = itof(j, rounding::NearestEven); y.store(r);",
    "F12": "let n: i32 = x.shape()[1]; let r: Tile<f32, { [] }> = itof(scalar_to_tile(n), rounding::NearestEven); "
    "y.store(r.reshape(const_shape![1, 1]).broadcast(const_shape![1, 16]));",
    "F13": "for i in 5i32..2i32 { let t = x.partition(const_shape![16]).load([i]); y.store(t); }",
}


@pytest.mark.parametrize("name", list(REFUSALS))
def test_refusals_that_are_known_are_the_compilers_fault(name: str) -> None:
    x, y = ("[64, -1]", "[1, 16]") if name == "F12" else ("[-1]", "[16]")
    with pytest.raises(Unsupported) as caught:
        Pair(REFUSALS[name], "", x, y).bytes(naive=True)
    assert blame_refusal(caught.value.code, caught.value.message) == Blame("upstream", name)


def test_other_refusals() -> None:
    assert blame_refusal("FT404", "undefined variable `c`") == Blame("translation")
    assert blame_refusal("FT405", "index out of bounds") == Blame("upstream")
    assert blame_refusal("FT302", "missing attribute 'overflow'") is None
    message = "Missing binary arithmetic implementation for pow, int"
    assert blame_refusal("FT109", message) == Blame("upstream", "P3")


def _files(tmp_path: Path, pair: Pair) -> list[str]:
    for name, naive in (("reference", False), ("lowered", True)):
        (tmp_path / f"{name}.tileirbc").write_bytes(pair.bytes(naive=naive))
    return [str(tmp_path / f"{name}.tileirbc") for name in ("reference", "lowered")]


def test_diff_says_the_owner_and_what_to_write(tmp_path: Path) -> None:
    pair = PAIRS["F10"]
    files = _files(tmp_path, pair)
    nothing = CliRunner().invoke(app, ["diff", *files, "--json"])
    assert json.loads(nothing.stdout)["owner"] is None
    (tmp_path / "kernel.rs").write_text(pair.source(naive=True).text)
    line = json.loads(CliRunner().invoke(app, ["diff", *files, "--json"]).stdout)
    assert (line["owner"], line["upstream"], line["workaround"]) == ("upstream", "F10", "write the operator `/`")
    text = CliRunner().invoke(app, ["diff", *files, "--rust", str(tmp_path / "kernel.rs")])
    assert "owner: upstream; F10 of FOUND.md" in text.stdout and text.exit_code == 1


def test_a_row_has_its_owner() -> None:
    row = translate(Task("empty", "empty", bytecode=b""), Options())
    assert row.to_json()["owner"] is None


UNSEEN = {"F11", "F14", "F15", "F17", "F18"}
"""Faults that no difference shows: what was meant has no bytecode, or none that is legal; test_found.py has them."""


def test_page_and_table_are_in_step() -> None:
    assert set(FAULTS) <= set(SECTIONS)
    assert {name for name in SECTIONS if name[0] == "F"} == {name for name in FAULTS if name[0] == "F"}
    assert {name.partition("-")[0] for name in PAIRS} | set(REFUSALS) | UNSEEN == {n for n in FAULTS if n[0] == "F"}
    for name, fault in FAULTS.items():
        assert SECTIONS[name].splitlines()[0] == f"{name} {fault.title}"
        assert f"\nWorkaround: {fault.workaround}.\n" in SECTIONS[name], name
