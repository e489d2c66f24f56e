"""How numbers of each type are kept in NumPy, and how an exact value is rounded to a type.

A float value that is about to be rounded travels as f64 *rounded to odd*: if the exact value lies between two f64
numbers, it is the one whose last bit is set. Rounding that once more to a type of at most 24 bits gives the exact
value's rounding, in every mode (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from ferrotile.ir.enums import RoundingMode
from ferrotile.ir.types import INTEGERS, PointerType, ScalarType

Array = np.ndarray[Any, Any]
MODES = RoundingMode

STORAGE: dict[str, np.dtype[Any]] = {
    name: np.dtype(kind)
    for name, kind in {
        "i1": np.bool_, "i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
        "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "tf32": np.float32, "f64": np.float64,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
        "f8E5M3FNU": np.uint8, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    }.items()
}  # fmt: skip
"""What holds one number of each type; integers are signless and kept as signed, f8E5M3FNU as its bits."""

ADDRESS = np.dtype(np.int64)


@dataclass(frozen=True, slots=True)
class Format:
    """A float format: bits of precision, smallest normal exponent, largest number, and what it has besides."""

    precision: int
    smallest: int
    largest: float
    infinity: bool = True
    nan: bool = True
    signed: bool = True


FORMATS = {
    "f64": Format(53, -1022, float(np.finfo(np.float64).max)),
    "f32": Format(24, -126, float(np.finfo(np.float32).max)),
    "tf32": Format(11, -126, (2 - 2.0**-10) * 2.0**127),
    "f16": Format(11, -14, 65504.0),
    "bf16": Format(8, -126, (2 - 2.0**-7) * 2.0**127),
    "f8E4M3FN": Format(4, -6, 448.0, infinity=False),
    "f8E5M2": Format(3, -14, 57344.0),
    "f8E8M0FNU": Format(1, -127, 2.0**127, infinity=False, signed=False),
    "f8E5M3FNU": Format(4, -14, 114688.0, infinity=False, signed=False),
    "f4E2M1FN": Format(2, 0, 6.0, infinity=False, nan=False),
}


def storage(element: ScalarType | PointerType) -> np.dtype[Any]:
    """The NumPy type that holds an element of a tile; addresses are i64."""
    return STORAGE[element.name] if isinstance(element, ScalarType) else ADDRESS


def width(name: str) -> int:
    """Bits of an integer type."""
    return INTEGERS[name]


@cache
def _e5m3_values() -> Array:
    bits = np.arange(256)
    exponent, fraction = bits >> 3, bits & 7
    values = np.where(exponent == 0, np.ldexp(fraction / 8, -14), np.ldexp(1 + fraction / 8, exponent - 15))
    return np.where(bits == 255, np.nan, values)


def widen(values: Array, name: str) -> Array:
    """Numbers of a float type as f64; exact for every type."""
    if name == "f8E5M3FNU":
        return _e5m3_values()[values]
    return values.astype(np.float64)


def narrow(exact: Array, name: str, mode: RoundingMode = MODES.NEAREST_EVEN) -> Array:
    """Round values, given as f64 rounded to odd, once to a type.

    Modes that name an accuracy (approx, full) give the nearest number: the best answer that they allow.
    """
    exact = np.asarray(exact)
    nearest = mode in (MODES.NEAREST_EVEN, MODES.APPROX, MODES.FULL)
    if name == "f64":
        return exact
    if nearest and name in ("f32", "f16"):
        return np.asarray(exact.astype(STORAGE[name]))
    form = FORMATS[name]
    rounded = limited(on_grid(exact, form, MODES.NEAREST_EVEN if nearest else mode), exact, form, mode)
    if name == "f8E5M3FNU":
        return np.asarray(np.searchsorted(_e5m3_values()[:255], rounded), np.uint8) | np.where(
            np.isnan(rounded), np.uint8(255), np.uint8(0)
        )
    return np.asarray(rounded.astype(STORAGE[name]))


def on_grid(exact: Array, form: Format, mode: RoundingMode) -> Array:
    """Round to the precision of a format, as if its exponents had no upper end."""
    _, exponent = np.frexp(exact)
    last = np.maximum(exponent - 1, form.smallest) - (form.precision - 1)
    scaled = np.ldexp(exact, -last)
    match mode:
        case MODES.ZERO:
            whole = np.trunc(scaled)
        case MODES.NEGATIVE_INF:
            whole = np.floor(scaled)
        case MODES.POSITIVE_INF:
            whole = np.ceil(scaled)
        case MODES.NEAREST_AWAY:
            whole = np.trunc(scaled)
            whole = whole + np.where(np.abs(scaled - whole) >= 0.5, np.sign(scaled), 0.0)
        case _:
            whole = np.rint(scaled)
    # A zero keeps the sign of what was rounded.
    return np.copysign(np.ldexp(whole, last), exact)


def limited(rounded: Array, exact: Array, form: Format, mode: RoundingMode) -> Array:
    """Replace what a format cannot hold: by infinity, NaN or its largest number, as format and mode say."""
    beyond = np.inf if form.infinity else (np.nan if form.nan else form.largest)
    stays_up = mode in (MODES.ZERO, MODES.NEGATIVE_INF)
    stays_down = mode in (MODES.ZERO, MODES.POSITIVE_INF)
    top = np.where(np.isinf(exact), beyond, form.largest if stays_up else beyond)
    bottom = np.where(np.isinf(exact), beyond, form.largest if stays_down else beyond)
    result = np.where(rounded > form.largest, top, np.where(rounded < -form.largest, -bottom, rounded))
    if not form.nan:
        result = np.where(np.isnan(result), form.largest, result)
    if not form.signed:
        result = np.where(np.signbit(result) & (result != 0), np.nan, np.abs(result))
    return result


def to_odd(nearest: Array, error: Array) -> Array:
    """From the nearest f64 and the sign of (exact - nearest): the value rounded to odd."""
    is_even = (np.ascontiguousarray(nearest).view(np.int64).reshape(np.shape(nearest)) & 1) == 0
    moves = (error != 0) & is_even & np.isfinite(nearest) & ~np.isnan(error)
    return np.where(moves, np.nextafter(nearest, np.where(error > 0, np.inf, -np.inf)), nearest)


def directed(nearest: Array, error: Array, mode: RoundingMode) -> Array:
    """From the nearest f64 and the sign of (exact - nearest): the f64 that a mode rounds to."""
    down = (error < 0) & ((mode is MODES.NEGATIVE_INF) | ((mode is MODES.ZERO) & (nearest > 0)))
    up = (error > 0) & ((mode is MODES.POSITIVE_INF) | ((mode is MODES.ZERO) & (nearest < 0)))
    return np.where(down, np.nextafter(nearest, -np.inf), np.where(up, np.nextafter(nearest, np.inf), nearest))


def sum_error(a: Array, b: Array, total: Array) -> Array:
    """The error of `total = a + b`, exact (Knuth's two-sum); of an infinite sum of finite numbers, its sign."""
    back = total - a
    error = (a - (total - back)) + (b - back)
    overflowed = np.isinf(total) & np.isfinite(a) & np.isfinite(b)
    return np.where(overflowed, -np.sign(total), np.where(np.isfinite(error), error, 0.0))


def product_error(a: Array, b: Array, product: Array) -> Array:
    """The error of `product = a * b`, exact while nothing overflows or underflows (Dekker's two-product)."""
    high_a, high_b = _high(a), _high(b)
    low_a, low_b = a - high_a, b - high_b
    error = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    overflowed = np.isinf(product) & np.isfinite(a) & np.isfinite(b)
    return np.where(overflowed, -np.sign(product), np.where(np.isfinite(error), error, 0.0))


def _high(x: Array) -> Array:
    scaled = x * 134217729.0  # 2^27 + 1
    return scaled - (scaled - x)


def odd_integer(values: Array) -> Array:
    """Integers (i64 or u64) as f64 rounded to odd."""
    low = values & values.dtype.type(2047)
    sticky = (values >> values.dtype.type(11)) | (low != 0).astype(values.dtype)
    small = np.abs(values.astype(np.float64)) < 2.0**53
    return np.where(small, values.astype(np.float64), np.ldexp(sticky.astype(np.float64), 11))
