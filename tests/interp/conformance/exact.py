"""The reference of the conformance tests: exact rationals, rounded by the definition of each format.

Shares nothing with the interpreter: formats are written down again, rounding works on integers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


class Kind(NamedTuple):
    """A float format: precision, smallest normal exponent, largest number; has infinity, NaN, a sign."""

    precision: int
    smallest: int
    largest: Fraction
    infinity: bool = True
    nan: bool = True
    signed: bool = True


def _top(precision: int, exponent: int, missing: int = 0) -> Fraction:
    """The largest number: all ones, but for so many units at the end."""
    return (Fraction(2) - Fraction(1 + missing, 2 ** (precision - 1))) * Fraction(2) ** exponent


KINDS = {
    "f64": Kind(53, -1022, _top(53, 1023)),
    "f32": Kind(24, -126, _top(24, 127)),
    "tf32": Kind(11, -126, _top(11, 127)),
    "f16": Kind(11, -14, _top(11, 15)),
    "bf16": Kind(8, -126, _top(8, 127)),
    "f8E5M2": Kind(3, -14, _top(3, 15)),
    "f8E4M3FN": Kind(4, -6, _top(4, 8, 1), infinity=False),
    "f8E5M3FNU": Kind(4, -14, _top(4, 16, 1), infinity=False, signed=False),
    "f8E8M0FNU": Kind(1, -127, Fraction(2) ** 127, infinity=False, signed=False),
    "f4E2M1FN": Kind(2, 0, Fraction(6), infinity=False, nan=False),
}

MODES = ("NEAREST_EVEN", "ZERO", "NEGATIVE_INF", "POSITIVE_INF", "NEAREST_AWAY")


def exponent_of(size: Fraction) -> int:
    """The power of two at or below a positive number."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


def goes_up(mode: str, negative: bool, odd: bool, half: int, exact: bool) -> bool:
    """Whether a magnitude is rounded up; `half` compares what is cut off with half a unit."""
    if exact:
        return False
    match mode:
        case "ZERO":
            return False
        case "NEGATIVE_INF":
            return negative
        case "POSITIVE_INF":
            return not negative
        case "NEAREST_AWAY":
            return half >= 0
        case _:
            return half > 0 or (half == 0 and odd)


def beyond(kind: Kind, negative: bool, mode: str) -> float:
    """What a number becomes that is larger than the format's largest."""
    stays = mode == "ZERO" or mode == ("POSITIVE_INF" if negative else "NEGATIVE_INF")
    size = (
        float(kind.largest) if stays else math.inf if kind.infinity else math.nan if kind.nan else float(kind.largest)
    )
    return -size if negative else size


def rounded(value: Fraction, name: str, mode: str = "NEAREST_EVEN") -> float:
    """A rational rounded to a format."""
    kind = KINDS[name]
    negative, size = value < 0, abs(value)
    if negative and not kind.signed:
        return math.nan
    if not size:
        return 0.0
    unit = Fraction(2) ** (max(exponent_of(size), kind.smallest) - kind.precision + 1)
    count, rest = divmod(size, unit)
    half = (2 * rest > unit) - (2 * rest < unit)
    count += goes_up(mode, negative, bool(count & 1), half, rest == 0)
    found = count * unit
    if found > kind.largest:
        return beyond(kind, negative, mode)
    return -float(found) if negative else float(found)


def root(value: Fraction, name: str, mode: str) -> float:
    """The square root of a positive rational, rounded."""
    kind = KINDS[name]
    top = value.numerator * value.denominator
    exponent = exponent_of(Fraction(math.isqrt(top), value.denominator)) if top > 1 else 0
    while Fraction(4) ** exponent > value:
        exponent -= 1
    while Fraction(4) ** (exponent + 1) <= value:
        exponent += 1
    unit = Fraction(2) ** (max(exponent, kind.smallest) - kind.precision + 1)
    scaled = value / unit**2
    count = math.isqrt(scaled.numerator // scaled.denominator)
    middle = Fraction(2 * count + 1, 2) ** 2
    half = (scaled > middle) - (scaled < middle)
    count += goes_up(mode, False, bool(count & 1), half, count * count == scaled)
    return float(count * unit)


def arithmetic(function: str, values: list[float], name: str, mode: str = "NEAREST_EVEN") -> float:
    """An arithmetic function of numbers, rounded once; special numbers as IEEE 754 has them."""
    plain = float(_on_doubles(function, values))
    if not all(map(math.isfinite, values)):
        return plain
    if function == "sqrt":
        return plain if values[0] <= 0 else root(Fraction(values[0]), name, mode)
    if function == "div" and values[1] == 0:
        return plain
    exact = _exact(function, [Fraction(value) for value in values])
    if exact == 0:
        return _zero(function, values, plain, mode)
    return math.copysign(rounded(exact, name, mode), 1 if exact > 0 else -1)


def _exact(function: str, values: list[Fraction]) -> Fraction:
    match function:
        case "add":
            return values[0] + values[1]
        case "sub":
            return values[0] - values[1]
        case "mul":
            return values[0] * values[1]
        case "div":
            return values[0] / values[1]
        case _:
            return values[0] * values[1] + values[2]


def _zero(function: str, values: list[float], plain: float, mode: str) -> float:
    """The sign of an exact zero: of a product, that of its factors; of a sum, minus if all are, or rounding down."""
    if function in ("mul", "div"):
        return math.copysign(0.0, math.copysign(1, values[0]) * math.copysign(1, values[1]))
    first, second = values[0], values[-1] if function != "sub" else -values[1]
    if function == "fma":
        first = math.copysign(1, values[0]) * math.copysign(1, values[1]) * abs(values[0] * values[1])
    signs = {math.copysign(1, first), math.copysign(1, second)}
    if len(signs) == 1:
        return math.copysign(0.0, signs.pop())
    return -0.0 if mode == "NEGATIVE_INF" else 0.0


def _on_doubles(function: str, values: list[float]) -> Any:
    with np.errstate(all="ignore"):
        a, *rest = map(np.float64, values)
        match function:
            case "add":
                return a + rest[0]
            case "sub":
                return a - rest[0]
            case "mul":
                return a * rest[0]
            case "div":
                return a / rest[0]
            case "sqrt":
                return np.sqrt(a)
            case _:
                return a * rest[0] + rest[1]


def flushed(value: float) -> float:
    """A denormal f32 as zero of its sign."""
    return math.copysign(0.0, value) if abs(value) < 2.0**-126 else value


def same(a: float, b: float) -> bool:
    """Equal, with zeros told apart by sign and NaNs alike."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def signed(value: int, bits: int) -> int:
    """The low bits of an integer, read as signed."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    """The low bits of an integer, read as unsigned."""
    return value & ((1 << bits) - 1)
