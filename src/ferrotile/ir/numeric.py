"""The meaning of float operations: widen, compute once, round once.

Functions of a device (exp, sin, ...) are computed in f64 and rounded once; a device is allowed a few units more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, RoundingMode
from ferrotile.ir.formats import (
    FORMATS,
    STORAGE,
    Array,
    directed,
    narrow,
    product_error,
    sum_error,
    to_odd,
    widen,
)

NEAREST = (RoundingMode.NEAREST_EVEN, RoundingMode.APPROX, RoundingMode.FULL)
TINY = np.float32(2.0**-126)
_NATIVE = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sqrt": np.sqrt}


def flush(values: Array) -> Array:
    """Replace denormal f32 numbers by zero of the same sign."""
    return np.where(np.abs(values) < TINY, np.copysign(np.float32(0), values), values)


def rounded(function: str, *names: str) -> Callable[[Any], Array]:
    """An arithmetic operation: exact, then rounded once as its rounding mode says."""

    def evaluate(v: Any) -> Array:
        kind = v.of("result")
        ftz = getattr(v, "flush_to_zero", False) and kind == "f32"
        values = [flush(getattr(v, name)) if ftz else getattr(v, name) for name in names]
        result = arithmetic(function, values, kind, v.rounding_mode)
        return flush(result) if ftz else result

    return evaluate


def arithmetic(function: str, values: list[Array], kind: str, mode: RoundingMode) -> Array:
    """One arithmetic function on values of a type, rounded once to that type."""
    if mode in NEAREST and kind in ("f32", "f64") and function != "fma":
        return np.asarray(_NATIVE[function](*values))
    wide = [widen(value, kind) for value in values]
    if function == "sub":
        function, wide = "add", [wide[0], -wide[1]]
    result = _in_f64(function, wide, mode) if kind == "f64" else narrow(_odd(function, wide), kind, mode)
    if mode is RoundingMode.NEGATIVE_INF and function in ("add", "fma"):
        return _cancelled(function, wide, result)
    return result


def _cancelled(function: str, wide: list[Array], result: Array) -> Array:
    """Rounding down, terms that cancel give -0."""
    first, second = (wide[0] * wide[1], wide[2]) if function == "fma" else (wide[0], wide[1])
    cancels = (result == 0) & (first == -second) & (np.signbit(first) != np.signbit(second))
    return np.where(cancels, -result.dtype.type(0), result).astype(result.dtype)


def _odd(function: str, wide: list[Array]) -> Array:
    """A function of values of at most 24 bits, as f64 rounded to odd."""
    match function:
        case "mul":
            return wide[0] * wide[1]
        case "fma":
            product = wide[0] * wide[1]
            total = product + wide[2]
            return to_odd(total, sum_error(product, wide[2], total))
        case _:
            return to_odd(*_nearest(function, wide))


def _nearest(function: str, wide: list[Array]) -> tuple[Array, Array]:
    """The nearest f64 and the sign of what it lacks."""
    a = wide[0]
    match function:
        case "add":
            total = a + wide[1]
            return total, sum_error(a, wide[1], total)
        case "mul":
            product = a * wide[1]
            return product, product_error(a, wide[1], product)
        case "div":
            quotient = a / wide[1]
            back = quotient * wide[1]
            rest = (a - back) - product_error(quotient, wide[1], back)
            return quotient, np.where(np.isfinite(rest), rest, 0.0) * np.sign(wide[1])
        case _:
            root = np.sqrt(a)
            square = root * root
            rest = (a - square) - product_error(root, root, square)
            return root, np.where(np.isfinite(rest), rest, 0.0)


def _in_f64(function: str, wide: list[Array], mode: RoundingMode) -> Array:
    result = _fma_f64(*wide, mode=mode) if function == "fma" else directed(*_nearest(function, wide), mode)
    return _at_the_ends(function, wide, result, mode)


def _fma_f64(a: Array, b: Array, c: Array, mode: RoundingMode) -> Array:
    """A fused multiply-add of f64, by two exact sums."""
    high = a * b
    low = product_error(a, b, high)
    outer = c + low
    outer_low = sum_error(c, low, outer)
    top = high + outer
    rest = sum_error(high, outer, top)
    tail = rest + outer_low
    bottom = to_odd(tail, sum_error(rest, outer_low, tail))
    result = top + bottom
    result = directed(result, sum_error(top, bottom, result), mode)
    is_special = ~(np.isfinite(a) & np.isfinite(b) & np.isfinite(c)) | (a == 0) | (b == 0)
    return np.where(is_special, high + c, result)


def _at_the_ends(function: str, wide: list[Array], result: Array, mode: RoundingMode) -> Array:
    """Recompute elements at the ends of the range of f64, where errors are not f64 numbers; they are few."""
    risky = np.zeros(np.shape(result), np.bool_)
    is_finite = np.ones(np.shape(result), np.bool_)
    for size in [np.abs(x) for x in (*wide, result)] + ([np.abs(wide[0] * wide[1])] if function == "fma" else []):
        risky |= ((size != 0) & (size < 2.0**-900)) | (size > 2.0**900)
    for x in wide:
        is_finite &= np.isfinite(x)
    where = risky & is_finite & ~np.isnan(result)
    if function == "div":
        where &= wide[1] != 0
    if not where.any():
        return result
    result, wide = np.array(result), list(np.broadcast_arrays(*wide))
    for at in map(tuple, np.argwhere(where)):
        nearest, error = _by_fractions(function, [Fraction(float(x[at])) for x in wide])
        if nearest or error:
            result[at] = directed(np.asarray(nearest), np.asarray(error), mode)
    return result


def _by_fractions(function: str, values: list[Fraction]) -> tuple[float, float]:
    """The nearest f64 and the sign of what it lacks, exactly."""
    a, *rest = values
    if function == "sqrt":
        nearest = math.sqrt(a)
        square = Fraction(nearest) ** 2
        return nearest, float((a > square) - (a < square))
    results = {"add": lambda: a + rest[0], "mul": lambda: a * rest[0], "div": lambda: a / rest[0]}
    exact = results.get(function, lambda: a * rest[0] + rest[1])()
    sign = float((exact > 0) - (exact < 0))
    try:
        nearest = math.copysign(exact.numerator / exact.denominator, sign)
    except OverflowError:
        return sign * math.inf, -sign
    return nearest, float((exact > Fraction(nearest)) - (exact < Fraction(nearest)))


def function(compute: Callable[..., Array], *names: str) -> Callable[[Any], Array]:
    """A function of the device: in f64, rounded once to nearest."""

    def evaluate(v: Any) -> Array:
        kind = v.of("result")
        ftz = getattr(v, "flush_to_zero", False) and kind == "f32"
        values = [flush(getattr(v, name)) if ftz else getattr(v, name) for name in names]
        wide = [widen(x, v.of(name)) if v.of(name) in FORMATS else x for x, name in zip(values, names, strict=True)]
        result = narrow(np.asarray(compute(*wide)), kind)
        return flush(result) if ftz else result

    return evaluate


def reciprocal_root(x: Array) -> Array:
    """1 / sqrt(x)."""
    return 1.0 / np.sqrt(x)


def power(base: Array, exponent: Array) -> Array:
    """base ** exponent, also for integer exponents."""
    return np.power(base, np.asarray(exponent).astype(np.float64))


def negate(v: Any) -> Array:
    """Flip the sign, of a NaN too."""
    return -v.source if v.of("source") != "f8E5M3FNU" else v.source


def extreme(*, largest: bool) -> Callable[[Any], Array]:
    """The larger or smaller of two floats; -0 is less than +0; a NaN counts as the flag `propagate_nan` says."""

    def evaluate(v: Any) -> Array:
        kind = v.of("result")
        a, b = (flush(x) for x in (v.lhs, v.rhs)) if v.flush_to_zero and kind == "f32" else (v.lhs, v.rhs)
        first, second = (a, b) if largest else (b, a)
        takes_a = (first > second) | ((a == b) & (np.signbit(second) > np.signbit(first)))
        a_nan, b_nan = np.isnan(a), np.isnan(b)
        result = np.where((takes_a & ~a_nan) | b_nan, a, b)
        if not (a_nan.any() or b_nan.any()):
            return result
        lost = (a_nan | b_nan) if v.propagate_nan else (a_nan & b_nan)
        return np.where(lost, np.asarray(np.nan, STORAGE[kind]), result)

    return evaluate


_RELATIONS = {
    ComparisonPredicate.EQUAL: np.equal,
    ComparisonPredicate.NOT_EQUAL: np.not_equal,
    ComparisonPredicate.LESS_THAN: np.less,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: np.less_equal,
    ComparisonPredicate.GREATER_THAN: np.greater,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: np.greater_equal,
}


def relation(predicate: ComparisonPredicate, a: Array, b: Array) -> Array:
    """The relation that a predicate names."""
    return np.asarray(_RELATIONS[predicate](a, b))


def compare(v: Any) -> Array:
    """Compare floats; with a NaN an ordered comparison is false, an unordered one true."""
    has_nan = np.isnan(v.lhs) | np.isnan(v.rhs)
    result = relation(v.comparison_predicate, v.lhs, v.rhs)
    return np.asarray(result & ~has_nan if v.comparison_ordering is ComparisonOrdering.ORDERED else result | has_nan)
