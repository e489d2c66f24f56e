"""The meaning of integer operations: signless bits, read as signed or unsigned where the operation says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferrotile.ir.enums import IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.formats import FORMATS, STORAGE, Array, narrow, odd_integer, widen, width
from ferrotile.ir.numeric import relation

_UNSIGNED = {"i1": np.uint8, "i4": np.uint8, "i8": np.uint8, "i16": np.uint16, "i32": np.uint32, "i64": np.uint64}


def signed(values: Array, name: str) -> Array:
    """Bits read as signed integers; an i1 that is set is -1."""
    return -values.astype(np.int8) if name == "i1" else values


def unsigned(values: Array, name: str) -> Array:
    """Bits read as unsigned integers."""
    if name == "i4":
        return (values & 15).astype(np.uint8)
    return values.astype(np.uint8) if name == "i1" else np.asarray(values).view(_UNSIGNED[name])


def read(values: Array, name: str, signedness: Signedness) -> Array:
    """Bits read as the operation says."""
    return signed(values, name) if signedness is Signedness.Signed else unsigned(values, name)


def wrap(values: Array, name: str) -> Array:
    """Keep the low bits of integers."""
    if name == "i1":
        return np.asarray((values & 1) != 0)
    if name == "i4":
        return np.asarray(((values.astype(np.int64) & 15) ^ 8) - 8).astype(np.int8)
    return np.asarray(values).astype(STORAGE[name])


def arithmetic(function: Callable[[Any, Any], Any]) -> Callable[[Any], Array]:
    """Addition, subtraction, multiplication, shift to the left: wrap-around, and a promise not to may be broken."""

    def evaluate(v: Any) -> Array:
        name = v.of("result")
        a, b = (x.astype(np.int8) if name == "i1" else x for x in (v.lhs, v.rhs))
        result = wrap(function(a, b), name)
        if v.overflow is not IntegerOverflow.NONE:
            v.undefined(_breaks(function, v.lhs, v.rhs, result, name, v.overflow))
        return result

    return evaluate


def _breaks(function: Callable[[Any, Any], Any], a: Array, b: Array, result: Array, name: str, flag: Any) -> Array:
    """Where the wrapped result is not the exact one, for each kind of reading that was promised."""
    broken = np.zeros(np.shape(result), np.bool_)
    for read_as, flags in ((signed, ("NSW", "NW")), (unsigned, ("NUW", "NW"))):
        if flag.name in flags:
            exact = function(read_as(a, name).astype(object), read_as(b, name).astype(object))
            broken = broken | np.asarray(exact != read_as(result, name).astype(object)).astype(np.bool_)
    return broken


def bitwise(function: Callable[[Any, Any], Any]) -> Callable[[Any], Array]:
    """A logical operation bit by bit."""
    return lambda v: np.asarray(function(v.lhs, v.rhs))


def absolute(v: Any) -> Array:
    """The magnitude of a signed integer; that of the smallest is read as unsigned."""
    return wrap(np.abs(signed(v.source, v.of("source")).astype(np.int64)), v.of("result"))


def negate(v: Any) -> Array:
    """Two's complement; with a promise the smallest number has no negative."""
    name = v.of("result")
    if v.overflow is not IntegerOverflow.NONE:
        v.undefined(v.source == -(1 << (width(name) - 1)))
    return wrap(-signed(v.source, name), name)


def compare(v: Any) -> Array:
    """Compare integers, read as the operation says."""
    name = v.of("lhs")
    return relation(v.comparison_predicate, read(v.lhs, name, v.signedness), read(v.rhs, name, v.signedness))


def divide(v: Any) -> Array:
    """Divide, towards zero, down or up; nothing is defined for a zero divisor and for overflow."""
    name = v.of("result")
    a, b = read(v.lhs, name, v.signedness), read(v.rhs, name, v.signedness)
    nothing = _no_quotient(v, a, b, name)
    v.undefined(nothing)
    b = np.where(nothing, b.dtype.type(1), b)
    floor = a // b
    inexact = floor * b != a
    if v.rounding is RoundingMode.NEGATIVE_INF:
        return wrap(floor, name)
    if v.rounding is RoundingMode.POSITIVE_INF:
        return wrap(floor + inexact.astype(a.dtype), name)
    return wrap(floor + (inexact & ((a < 0) != (b < 0))).astype(a.dtype), name)


def _no_quotient(v: Any, a: Array, b: Array, name: str) -> Array:
    if v.signedness is Signedness.Unsigned:
        return b == 0
    return (b == 0) | ((a == -(1 << (width(name) - 1))) & (b == -1))


def remainder(v: Any) -> Array:
    """The remainder of division towards zero: the sign of the dividend; nothing is defined for a zero divisor."""
    name = v.of("result")
    a, b = read(v.lhs, name, v.signedness), read(v.rhs, name, v.signedness)
    v.undefined(b == 0)
    b = np.where((b == 0) | (b == -1 if v.signedness is Signedness.Signed else False), b.dtype.type(1), b)
    return wrap(np.fmod(a, b), name)


def extreme(*, largest: bool) -> Callable[[Any], Array]:
    """The larger or smaller of two integers, read as the operation says."""

    def evaluate(v: Any) -> Array:
        name = v.of("result")
        a, b = read(v.lhs, name, v.signedness), read(v.rhs, name, v.signedness)
        return np.where((a > b) if largest else (a < b), v.lhs, v.rhs)

    return evaluate


def high_product(v: Any) -> Array:
    """The upper half of the unsigned product."""
    name = v.of("result")
    a, b = (unsigned(x, name).astype(np.uint64) for x in (v.x, v.y))
    if width(name) < 64:
        return wrap((a * b) >> np.uint64(width(name)), name)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    cross = (a & low) * (b >> half)
    middle = (a >> half) * (b & low) + (((a & low) * (b & low)) >> half)
    carry = (cross + (middle & low)) >> half
    return wrap((a >> half) * (b >> half) + (middle >> half) + carry, name)


def shift_left(v: Any) -> Array:
    """Shift to the left by an unsigned count; a count of all bits or more defines nothing."""
    return _shift(v, np.left_shift, v.lhs)


def shift_right(v: Any) -> Array:
    """Shift to the right, filling with the sign if signed; a count of all bits or more defines nothing."""
    name = v.of("result")
    return _shift(v, np.right_shift, read(v.lhs, name, v.signedness))


def _shift(v: Any, function: Callable[[Any, Any], Any], values: Array) -> Array:
    name = v.of("result")
    count = unsigned(v.rhs, name)
    v.undefined(count >= width(name))
    if name == "i1":
        values = values.astype(np.int8)
    result = wrap(function(values, np.where(count < width(name), count, 0).astype(values.dtype)), name)
    if function is np.left_shift and v.overflow is not IntegerOverflow.NONE:
        shifted: Callable[[Any, Any], Any] = lambda a, b: a * 2 ** np.asarray(unsigned(v.rhs, name), object)  # noqa: E731
        v.undefined((count < width(name)) & _breaks(shifted, v.lhs, v.rhs, result, name, v.overflow))
    return result


def extend(v: Any) -> Array:
    """Widen, with copies of the sign or with zeros."""
    return wrap(read(v.from_, v.of("from"), v.signedness), v.of("result"))


def truncate(v: Any) -> Array:
    """Keep the low bits; with a promise nothing may be lost."""
    source, name = v.of("from"), v.of("result")
    result = wrap(v.from_, name)
    broken = np.zeros(np.shape(result), np.bool_)
    for read_as, flags in ((signed, ("NSW", "NW")), (unsigned, ("NUW", "NW"))):
        if v.overflow.name in flags:
            broken = broken | (read_as(v.from_, source) != read_as(result, name))
    if v.overflow is not IntegerOverflow.NONE:
        v.undefined(broken)
    return result


def to_float(v: Any) -> Array:
    """Round an integer to a float."""
    values = read(v.from_, v.of("from"), v.signedness)
    wide = values.astype(np.int64 if v.signedness is Signedness.Signed else np.uint64)
    name = v.of("result")
    return wide.astype(np.float64) if name == "f64" else narrow(odd_integer(wide), name, v.rounding_mode)


def from_float(v: Any) -> Array:
    """Cut off the fraction; what is no number of the type is undefined, or the nearest one if saturating."""
    name, bits = v.of("result"), width(v.of("result"))
    is_signed = v.signedness is Signedness.Signed
    low, high = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if is_signed else (0.0, 2.0**bits)
    whole = np.trunc(widen(v.from_, v.of("from")))
    inside = (whole >= low) & (whole < high)
    kind = np.int64 if is_signed else np.uint64
    top, bottom = (kind(int(high) - 1), kind(int(low)))
    result = np.where(inside, whole, 0.0).astype(kind)
    if not v.saturating:
        v.undefined(~inside)
        return wrap(result, name)
    result = np.where(whole >= high, top, np.where(whole < low, bottom, result))
    return wrap(result, name)


def to_other_float(v: Any) -> Array:
    """Round a float to another type; what a type without sign or zero cannot hold is undefined.

    A type of 8 bits or less holds no infinity afterwards: what is too large becomes its largest number.
    Source: seen on an H200 for f8E4M3FN and f8E5M2 (tests/interp/conformance/answers).
    """
    name, wide = v.of("result"), widen(v.from_, v.of("from"))
    if not FORMATS[name].signed:
        v.undefined(wide < 0)
    if name == "f8E8M0FNU":
        smallest = 2.0 ** FORMATS[name].smallest
        v.undefined((np.abs(wide) < smallest) & ((wide == 0) | (v.rounding_mode is RoundingMode.ZERO)))
    if STORAGE[name].itemsize == 1:
        wide = np.clip(wide, -FORMATS[name].largest, FORMATS[name].largest)
    return narrow(wide, name, v.rounding_mode)
