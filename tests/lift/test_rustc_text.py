"""What cutile's own compiler overlooks and rustc does not: literals, signs, and arithmetic of truth values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from proof import require_equal
from surround import Surround
from variants import Variant, variants

from ferrotile import ir
from ferrotile.capture import discover, export

ZOO = Path(__file__).resolve().parents[1] / "zoo" / "kernels"


def zoo_text(kernel: str, label: str) -> str:
    """The text of a kernel of the zoo, which is proved to be that kernel."""
    (row,) = [row for row in discover(ZOO) if row[1] == kernel and row[2].label == label]
    return require_equal(export(*row, "sm_90")[0].bytecode).text


def test_a_scan_of_half_precision_starts_from_a_constant_that_rust_has() -> None:
    """Rust has no literals such as `0.0f16`."""
    assert "scan_sum(a, 0, reverse::Forward, f16::ZERO)" in zoo_text("vector_scan", "float16")


@pytest.mark.parametrize("kernel", ["compare", "unsigned_divide"])
def test_numbers_that_are_compared_have_one_sign(kernel: str) -> None:
    """`less_unsigned` reads either sign as unsigned, but both operands are of one type."""
    text = zoo_text(kernel, "uint16")
    unsigned = {*re.findall(r"let (\w+): Tile<u16, ", text), "a", "remainder"}
    calls = re.findall(r"less_unsigned\((\w+), (\w+)\)", text)
    assert calls and all((left in unsigned) == (right in unsigned) for left, right in calls)


@pytest.mark.parametrize("name", ["addi", "subi", "muli", "remi", "shli"])
def test_truth_values_are_reckoned_with_on_tiles(name: str) -> None:
    row = next(row for row in ir.table() if row.name == name)
    form = next(form for form in variants(row) if re.fullmatch(r"tile<i1>( tile<i1>)*", " ".join(_types(form))))
    kernel = Surround()
    form.add_to(kernel)
    text = require_equal(kernel.bytes(), target="sm_100").text
    assert re.search(r"\(n\d+ < n\d+\) (\+|-|\*|%|<<) \(n\d+ < n\d+\)", text) is None


def _types(form: Variant) -> list[str]:
    return [str(kind) for group in form.kinds.values() for kind in group]
