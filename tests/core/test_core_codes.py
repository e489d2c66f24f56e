"""Every declared code is raised somewhere in src and in some test; no test speaks of a code that is not declared."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xdsl.ir import Block, Region

from ferrotile import ir
from ferrotile.cli.main import app
from ferrotile.core import CODES, InputError
from ferrotile.ir.samples import Scene, sample, type_of
from ferrotile.workflow import Options, batch

ROOT = Path(__file__).parents[2]
NEVER = {"FT999"}
"""What tests use for a code that does not exist."""

UNTESTED = {f"FT{number}" for number in (618,)}
"""Codes that no test raises yet; strike one with its test."""


def _spoken(folder: Path, pattern: str, skip: str) -> set[str]:
    texts = (path.read_text() for path in folder.rglob("*.py") if path.name != skip)
    return {code for text in texts for code in re.findall(pattern, text)}


def test_declared_codes_are_those_that_src_raises() -> None:
    raised = _spoken(ROOT / "src", r'"(FT\d{3})"', "codes.py")
    assert sorted(set(CODES) ^ raised) == []


def test_declared_codes_are_those_that_tests_raise() -> None:
    tested = _spoken(ROOT / "tests", r"\bFT\d{3}\b", "") - NEVER
    assert sorted(tested - set(CODES)) == [], "not declared"
    assert sorted(set(CODES) - tested) == sorted(UNTESTED), "in no test"


def test_broken_bytes_raise_every_code_of_the_reader() -> None:
    """Flipped bits in the examples of all rows; what they raise is always the same."""
    dice = random.Random(20261129)
    sources = [ir.encode(sample(row, max(row.since, (13, 4)))) for row in ir.table()]
    outcomes: Counter[str] = Counter()
    for _ in range(4000):
        data = bytearray(dice.choice(sources))
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        try:
            ir.decode(bytes(data))
        except InputError as error:
            outcomes[error.code] += 1
    assert {"FT203", "FT204", "FT205", "FT206", "FT207", "FT208", "FT213", "FT214"} <= set(outcomes)


def test_branches_inside_branches_end_somewhere() -> None:
    scene = Scene()
    condition = scene.value(type_of("i1"))
    branch = ir.make("yield", {"operands": []})
    for _ in range(120):
        blocks = [Block([branch]), Block([ir.make("yield", {"operands": []})])]
        if branch.name != "cuda_tile.yield":
            blocks[0].add_op(ir.make("yield", {"operands": []}))
        branch = ir.make("if", {"condition": condition}, {}, [], [Region(block) for block in blocks])
    module = sample(next(row for row in ir.table() if row.name == "absf"), (13, 4))
    body = module.entries[0].regions[0].block
    end = body.last_op
    assert end is not None
    body.insert_ops_before([*scene.ops, branch], end)
    with pytest.raises(InputError) as caught:
        ir.decode(ir.encode(module))
    assert caught.value.code == "FT209"


def test_a_code_that_does_not_exist_is_not_explained() -> None:
    result = CliRunner().invoke(app, ["explain", "FT999"])
    assert result.exit_code == 2 and "FT901" in result.output


def test_bytecode_without_a_kernel_is_refused(tmp_path: Path) -> None:
    module = sample(next(row for row in ir.table() if row.name == "absf"), (13, 4))
    module.entries[0].detach()
    path = tmp_path / "none.tileirbc"
    path.write_bytes(ir.encode(module))
    result = CliRunner().invoke(app, ["translate", str(path), "--json"])
    assert "FT804" in result.output


def test_a_step_without_an_end_is_our_fault() -> None:
    row = batch._death(Options(), batch.Task("in", "in"), None)
    assert (row.exit_code, row.code) == (70, "FT805")
