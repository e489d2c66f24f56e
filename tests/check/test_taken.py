"""What stands in a branch on a constant is compared like all else: order, padding, and the place of a difference."""

from __future__ import annotations

import pytest
from builder import Builder

from ferrotile import ir
from ferrotile.check import compare
from ferrotile.core import VerdictKind


def kernel(*, ordered: bool = True, padding: str | None = None, constant: bool = True) -> ir.Module:
    """Store, then load and store what was read, in a branch that is always taken, or whose condition is not known."""
    k = Builder()
    target, n = k.parameters("ptr<f32>", "i32")
    view = k.partition(k.array(target, [n], [1]), [16], padding)
    block = k.block_id()[0]
    x, first = k.load(view, [block])
    condition = k.cmpi(k.constant("i32", 1), k.constant("i32", 2) if constant else n, to="i1")
    then, other, _ = k.if_(condition)
    with then:
        behind = k.store(k.addf(x, x), view, [block], first)
        y, token = k.load(view, [block], behind if ordered else first)
        k.store(y, view, [n], token)
        k.end("yield")
    with other:
        k.end("yield")
    return k.module()


@pytest.mark.parametrize("constant", [True, False])
def test_order_in_a_taken_branch_is_compared(constant: bool) -> None:
    assert compare(kernel(constant=constant), kernel(constant=constant), None, "sm_90").kind is VerdictKind.EQUAL
    verdict = compare(kernel(constant=constant), kernel(ordered=False, constant=constant), None, "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS, verdict.sentence
    assert verdict.difference in ("order", "operand"), verdict.sentence


@pytest.mark.parametrize("constant", [True, False])
def test_padding_in_a_taken_branch_is_compared(constant: bool) -> None:
    padded = kernel(padding="Zero", constant=constant)
    verdict = compare(padded, kernel(constant=constant), None, "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS, verdict.sentence
    assert compare(kernel(constant=constant), padded, None, "sm_90").kind is VerdictKind.REFINES
