"""Assumptions whose numbers the type of the value does not hold."""

from __future__ import annotations

import numpy as np
import pytest
from builder import Builder
from harness import constant

from ferrotile.interp import interpret
from ferrotile.ir.attributes import Bounded, DivBy


@pytest.mark.parametrize(
    ("kind", "predicate", "values", "wanted"),
    [
        ("i8", DivBy(128), [-128, 0, -128, 0], 0),
        ("i8", DivBy(128), [-128, 64, 1, 0], 2),
        ("i8", DivBy(256), [-128, 0, 0, 0], 1),
        ("i8", DivBy(128, 2, 0), [-128, 1, 64, 1], 1),
        ("i32", DivBy(1 << 31), [-(1 << 31), 1, 0, 0], 1),
        ("i64", DivBy(1 << 63), [-(1 << 63), 1, 0, 0], 1),
        ("i8", Bounded(-300, 300), [-128, 127, 0, 0], 0),
        ("i8", Bounded(200, None), [-128, 127, 0, 0], 4),
    ],
)
def test_numbers_beyond_the_type(kind: str, predicate: DivBy | Bounded, values: list[int], wanted: int) -> None:
    k = Builder()
    k.parameters()
    k.assume(constant(k, np.asarray(values, kind.replace("i", "int")), f"4x{kind}"), predicate)
    assert sum(finding.count for finding in interpret(k.module(), [], (1,)).found("assume")) == wanted
