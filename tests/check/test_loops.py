"""Loops that only pass a value on, by way of each other, and loops that only look so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from builder import Builder
from xdsl.ir import SSAValue

from ferrotile import ir
from ferrotile.check import compare
from ferrotile.core import ParameterMap, VerdictKind
from ferrotile.interp import roles_of, same_results

HERE = "test_loops.py"
Values = tuple[SSAValue, ...]
Body = Callable[[Builder, SSAValue, SSAValue, SSAValue], SSAValue]
"""Writes loops that count to `n`; gets two values and gives the one that the kernel stores."""


def kernel(body: Body) -> ir.Module:
    """`target[0] = body(x, y, n)`."""
    k = Builder(HERE)
    target, size, _, x, y, n = k.parameters("ptr<i32>", *["i32"] * 5)
    view = k.partition(k.array(target, [size], [1]), [1])
    k.store(k.reshape(body(k, x, y, n), to="1xi32"), view, [k.constant("i32", 0)])
    return k.module()


def count(k: Builder, n: SSAValue, *first: SSAValue):  # type: ignore[no-untyped-def]
    """A loop that counts to `n`."""
    return k.for_(k.constant("i32", 0), n, k.constant("i32", 1), *first)


def plain(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    return x


def nested(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """The inner loop starts with the first value, gives what the outer one carries, and that carries its result."""
    with count(k, n, x) as outer:
        with count(k, n, x) as inner:
            k.end("continue", outer.values[0])
        k.end("continue", inner.results[0])
    return outer.results[0]


def turning(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """Two carried values change places in the inner loop and in the outer one."""
    with count(k, n, x, x) as outer:
        with count(k, n, *outer.values) as inner:
            k.end("continue", *inner.values[::-1])
        k.end("continue", *inner.results[::-1])
    return outer.results[1]


def branching(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """A branch gives what the loop carries, or what the loop in it gives."""
    with count(k, n, x) as outer:
        then, other, results = k.if_(k.cmpi(y, n, to="i1"), x)
        with then:
            with count(k, n, outer.values[0]) as inner:
                k.end("continue", x)
            k.end("yield", inner.results[0])
        with other:
            k.end("yield", outer.values[0])
        k.end("continue", results[0])
    return outer.results[0]


def breaking(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """An endless loop that is left with what it carries."""
    with count(k, n, x) as outer:
        with k.loop(y, outer.values[0]) as inner:
            then, other, _ = k.if_(k.cmpi(inner.values[0], n, to="i1"))
            with then:
                k.end("yield")
            with other:
                k.end("break", inner.values[0], inner.values[1])
            k.end("continue", k.addi(inner.values[0], k.constant("i32", 1)), x)
        k.end("continue", inner.results[1])
    return outer.results[0]


def deciding(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """What a loop computes decides a branch that gives the same either way."""
    with count(k, n, y) as loop:
        k.end("continue", k.addi(loop.values[0], x))
    then, other, results = k.if_(k.cmpi(loop.results[0], n, to="i1"), x)
    for side in (then, other):
        with side:
            k.end("yield", x)
    return results[0]


def alone(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """A sum."""
    with count(k, n, x) as loop:
        k.end("continue", k.addi(loop.values[0], y))
    return loop.results[0]


def _beside(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue, *, matters: bool) -> SSAValue:
    with count(k, n, x, x) as loop:
        other, total = loop.values
        then, otherwise, results = k.if_(k.cmpi(other, n, to="i1"), x)
        for side, addend in ((then, y), (otherwise, x if matters else y)):
            with side:
                k.end("yield", addend)
        k.end("continue", k.subi(other, y), k.addi(total, results[0]))
    return loop.results[1]


def beside(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """The same sum; another value that starts alike decides about nothing."""
    return _beside(k, x, y, n, matters=False)


def beside_deciding(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """Another sum; the other value decides what is added."""
    return _beside(k, x, y, n, matters=True)


PASSING = [nested, turning, branching, breaking, deciding]


def starts_otherwise(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """As `nested`; the inner loop starts with the other value, which it gives where it has no round."""
    with count(k, n, x) as outer:
        with count(k, k.subi(n, k.constant("i32", 3)), y) as inner:
            k.end("continue", outer.values[0])
        k.end("continue", inner.results[0])
    return outer.results[0]


def turning_two(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """As `turning`, with two values."""
    with count(k, n, x, y) as outer:
        with count(k, n, *outer.values) as inner:
            k.end("continue", *inner.values[::-1])
        k.end("continue", *inner.results)
    return outer.results[0]


def late(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """Three values move on by one in each round: what is read stays the first one for two rounds."""
    with count(k, n, x, x, y) as outer:
        k.end("continue", outer.values[1], outer.values[2], outer.values[2])
    return outer.results[0]


def branching_away(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """As `branching`; the inner loop of one branch gives the other value."""
    with count(k, n, x) as outer:
        then, other, results = k.if_(k.cmpi(x, n, to="i1"), x)
        with then:
            with count(k, n, outer.values[0]) as inner:
                k.end("continue", y)
            k.end("yield", inner.results[0])
        with other:
            k.end("yield", outer.values[0])
        k.end("continue", results[0])
    return outer.results[0]


def breaking_late(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """As `breaking`; what the inner loop is left with is one value in its first round, the other one later."""
    with count(k, n, x) as outer:
        with k.loop(k.constant("i32", 0), outer.values[0]) as inner:
            then, other, _ = k.if_(k.cmpi(inner.values[0], n, to="i1"))
            with then:
                k.end("yield")
            with other:
                k.end("break", inner.values[0], inner.values[1])
            k.end("continue", k.addi(inner.values[0], k.constant("i32", 1)), y)
        k.end("continue", inner.results[1])
    return outer.results[0]


def adding(k: Builder, x: SSAValue, y: SSAValue, n: SSAValue) -> SSAValue:
    """As `turning`; one of the two values has grown before they change places."""
    with count(k, n, x, x) as outer:
        with count(k, n, *outer.values) as inner:
            k.end("continue", *inner.values[::-1])
        k.end("continue", inner.results[1], k.addi(inner.results[0], k.constant("i32", 1)))
    return outer.results[1]


LOOKING = [beside_deciding, starts_otherwise, turning_two, late, branching_away, breaking_late, adding]


@pytest.mark.parametrize("body", PASSING)
def test_what_loops_only_pass_on_is_the_first_value(body: Body) -> None:
    for first, second in ((plain, body), (body, plain), (body, body)):
        verdict = compare(kernel(first), kernel(second), None, "sm_90")
        assert verdict.kind is VerdictKind.EQUAL, verdict.sentence
    assert "carried-constant" in verdict.laws or "if-passes-through" in verdict.laws


@pytest.mark.parametrize("body", LOOKING)
def test_what_loops_only_seem_to_pass_on_is_another_value(body: Body) -> None:
    inputs = [np.zeros(1, np.int32), 1, 7, 3]
    parameters = ParameterMap(roles_of(inputs), roles_of(inputs))
    assert not same_results(kernel(plain), kernel(body), parameters, inputs, (1,)).equal
    for other in (plain, *PASSING, *(one for one in LOOKING if one is not body)):
        verdict = compare(kernel(other), kernel(body), None, "sm_90")
        assert verdict.kind is VerdictKind.DIFFERS, other
        assert verdict.reference_place is not None
    assert compare(kernel(body), kernel(body), None, "sm_90").kind is VerdictKind.EQUAL


def test_a_carried_value_that_decides_about_nothing_does_not_matter() -> None:
    for first, second in ((alone, beside), (beside, alone)):
        verdict = compare(kernel(first), kernel(second), None, "sm_90")
        assert verdict.kind is VerdictKind.EQUAL, verdict.sentence
    assert compare(kernel(alone), kernel(beside_deciding), None, "sm_90").kind is VerdictKind.DIFFERS
