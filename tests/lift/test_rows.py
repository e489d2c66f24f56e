"""Each row of the operation table in Rust: the same program for every legal form, or a refusal with a place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import pytest
from proof import require_equal
from structured import CASES, Case
from surround import FILE, Surround
from variants import Variant, variants

from ferrotile import ir
from ferrotile.core import FerrotileError, Unsupported
from ferrotile.ir.samples import sample, types_of
from ferrotile.ir.spec import NEWEST, OpRow
from ferrotile.ir.types import PointerType, ScalarType, TileType
from ferrotile.lift import Style, lift

TARGET = "sm_100"
CHUNK = 48
QUICK = 16
"""About how many forms of a row, and cases of a row, are tested outside the slow tests."""
ROWS = {row.name: row for row in ir.table()}
REFUSED = [row for row in ROWS.values() if isinstance(row.rust, ir.Refusal)]
WHOLE = ("module", "entry", "return", "yield", "break", "continue")
"""Rows that are in every kernel, or end the blocks of another."""

SOME_CASES = [case for cases in CASES.values() for case in cases[:: max(1, len(cases) // QUICK)]]

PINNED = {
    "cmpi": 12, "divf": 2, "divi": 6, "exti": 18, "ftoi": 34, "itof": 17, "maxi": 2, "mini": 2, "remi": 2, "shri": 2,
}  # fmt: skip
"""How many legal forms of a row are refused. Signed `i1`, unsigned `i4`, and a division that flushes at full range."""


def _is_elementwise(row: OpRow) -> bool:
    if isinstance(row.rust, ir.Refusal) or row.regions or row.terminator or row.name in CASES:
        return False
    return all(isinstance(kind, TileType) for group in types_of(row).values() for kind in group)


ELEMENTWISE = [row for row in ROWS.values() if _is_elementwise(row) and row.name not in WHOLE]


def _kernel(forms: Sequence[Variant]) -> bytes:
    kernel = Surround()
    for form in forms:
        form.add_to(kernel)
    return kernel.bytes()


def _prove(forms: list[Variant], style: Style) -> list[Variant]:
    """Prove all forms of a kernel that are not refused; give those that are."""
    refused: list[Variant] = []
    while forms:
        try:
            require_equal(_kernel(forms), style, TARGET)
            return refused
        except FerrotileError as error:
            assert isinstance(error, Unsupported) and error.code.startswith("FT3"), f"{error}: one of {forms[0]}.."
            assert error.at is not None and error.at.file == FILE, f"{error} has no place"
            refused.append(forms.pop(error.at.line - 1))
    return refused


def _prove_all(forms: Iterable[Variant], style: Style) -> int:
    """Prove forms of a row; give how many are refused."""
    rest, refused = iter(forms), 0
    while chunk := list(islice(rest, CHUNK)):
        refused += len(_prove(chunk, style))
    return refused


@pytest.mark.parametrize("row", ELEMENTWISE, ids=lambda row: row.name)
def test_forms_of_a_row_are_the_same_in_rust(row: OpRow) -> None:
    forms = list(variants(row))
    _prove_all(forms[:: max(1, len(forms) // QUICK)], Style.FLUENT)


@pytest.mark.slow
@pytest.mark.parametrize("style", [Style.FLUENT, Style.LITERAL], ids=lambda style: style.value)
@pytest.mark.parametrize("row", ELEMENTWISE, ids=lambda row: row.name)
def test_every_form_of_a_row_is_the_same_in_rust(row: OpRow, style: Style) -> None:
    assert _prove_all(variants(row), style) == PINNED.get(row.name, 0)


def _judge(case: Case, style: Style) -> None:
    if case.refusal is None:
        require_equal(case.bytes(), style, TARGET)
        return
    with pytest.raises(Unsupported) as caught:
        lift(ir.decode(case.bytes()), style=style)
    assert caught.value.code == case.refusal
    assert caught.value.at is not None, f"{caught.value} has no place"


@pytest.mark.parametrize(
    "case", [c for cases in CASES.values() for c in cases[:: max(1, len(cases) // QUICK)]], ids=str
)
def test_structured_operations_are_the_same_in_rust(case: Case) -> None:
    _judge(case, Style.FLUENT)


@pytest.mark.parametrize("case", [case for row in ("for", "loop", "if") for case in CASES[row]], ids=str)
def test_control_flow_is_the_same_in_literal_rust(case: Case) -> None:
    _judge(case, Style.LITERAL)


@pytest.mark.slow
@pytest.mark.parametrize("style", list(Style), ids=lambda style: style.value)
@pytest.mark.parametrize("case", [case for cases in CASES.values() for case in cases], ids=str)
def test_structured_operations_are_the_same_in_every_style(case: Case, style: Style) -> None:
    _judge(case, style)


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_refused_rows_raise_their_code(row: OpRow) -> None:
    assert isinstance(row.rust, ir.Refusal)
    with pytest.raises(Unsupported) as caught:
        lift(_used(row))
    assert caught.value.code == row.rust.code


def _used(row: OpRow) -> ir.Module:
    """The example of a row; a result that nobody needs would not be written."""
    if row.name not in ("get_global", "global"):
        return ir.decode(ir.encode(sample(row, NEWEST)))
    kernel = Surround()
    kernel.around("get_global", {}, {"name": "table"}, [TileType(PointerType(ScalarType("f32")), ())])
    return kernel.module()


def test_every_row_is_tested() -> None:
    tested = {row.name for row in (*ELEMENTWISE, *REFUSED)} | set(CASES) | set(WHOLE)
    assert not set(ROWS) - tested
