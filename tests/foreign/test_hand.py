"""Modules built by hand: each is legal, is the same in Rust or refused by a code, and says so in the ledger."""

from __future__ import annotations

from functools import cache

import pytest
from inputs import made  # pyright: ignore[reportMissingImports]
from ledger import CASES, judged, read, worst  # pyright: ignore[reportMissingImports]

from ferrotile import ir
from ferrotile.core import CODES, tools
from ferrotile.interp import Options as InterpretOptions
from ferrotile.interp import same_results
from ferrotile.workflow import Row

LEDGER = read()["hand"]
QUICK = list(CASES)[::4]
NO_INPUTS = {
    "pointers_in_memory": "an array of addresses",
    "pointers_histogram": "adds in an order that is not told",
    "odd_messages": "the assertion fails",
    "comparison_of_constants": "asserts",
    "scaled_product": "no meaning of the interpreter",
    "tokens_in_loops": "races",
    "return_in_loop": "refused",
}


@cache
def _rows(name: str) -> list[Row]:
    case = CASES[name]
    return judged(name, case.bytes(), case.target)


def _require_as_told(name: str) -> None:
    rows = _rows(name)
    found = worst(rows)
    told = LEDGER[name]
    assert (found.outcome, found.code) == (told["outcome"], told.get("code")), rows[0].message
    for row in rows:
        assert row.exit_code in (0, 3), f"{row.verdict} {row.code}: {row.message}"
        assert row.exit_code == 0 or (row.code in CODES and row.code.startswith("FT3") and row.hint), row.message


def _require_same_numbers(name: str) -> None:
    for row in _rows(name):
        if row.evidence is None:
            continue
        reference, lowered = (ir.decode(data) for data in (row.evidence.reference, row.evidence.lowered))
        arguments, parameters = made(reference, row.evidence.parameters)
        options = InterpretOptions(round_limit=100_000, races=False)
        found = same_results(reference, lowered, parameters, arguments, (2, 1, 1), options=options)
        assert found.equal, str(found)


def test_the_ledger_has_every_module_and_says_what_is_special() -> None:
    assert {name: row["special"] for name, row in LEDGER.items()} == {n: case.special for n, case in CASES.items()}
    assert len(CASES) >= 50 and all(case.special for case in CASES.values())


@pytest.mark.parametrize("name", list(CASES))
def test_the_module_is_legal(name: str) -> None:
    data = CASES[name].bytes()
    module = ir.decode(data)
    ir.verify(module)
    assert ir.encode(module) == data


@pytest.mark.parametrize("name", QUICK)
def test_a_sample_is_the_same_in_rust_or_refused(name: str) -> None:
    _require_as_told(name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in CASES if name not in QUICK])
def test_the_rest_is_the_same_in_rust_or_refused(name: str) -> None:
    _require_as_told(name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in CASES if name not in NO_INPUTS])
def test_reference_and_rust_leave_the_same_numbers(name: str) -> None:
    _require_same_numbers(name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", list(CASES))
def test_the_disassembler_reads_it(name: str) -> None:
    assert "entry @" in tools.disassemble_bytecode(CASES[name].bytes())
