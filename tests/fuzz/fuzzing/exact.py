"""Which float results are known for sure: those that no rounding, fusing or reordering can change.

Each function gives values as float64 and a mask. Where the mask is false the value says nothing. The sign of a zero is
never claimed.
"""

from __future__ import annotations

import numpy as np

from fuzzing.kinds import Array, Kind


def fits(kind: Kind, values: Array) -> Array:
    """Whether values are zero or normal numbers of a type, exactly."""
    size = np.abs(values)
    with np.errstate(all="ignore"):
        grid = np.ldexp(1.0, np.frexp(values)[1] - kind.precision)
        whole = values / grid
        on_grid = np.where(size > 0, whole == np.rint(whole), True)
    return np.isfinite(values) & on_grid & ((size == 0) | (size >= kind.smallest)) & (size <= kind.largest)


def bits(values: Array) -> Array:
    """How many bits the significand of each finite value needs."""
    mantissa = np.abs(np.ldexp(np.frexp(np.where(np.isfinite(values), values, 0))[0], 53)).astype(np.int64)
    low = np.where(mantissa == 0, 1 << 53, mantissa & -mantissa)
    return 54 - np.frexp(low.astype(np.float64))[1]


def add(kind: Kind, a: Array, b: Array) -> tuple[Array, Array]:
    """The sum."""
    total = a + b
    back = total - a
    error = (a - (total - back)) + (b - back)
    return total, (error == 0) & fits(kind, total)


def multiply(kind: Kind, a: Array, b: Array) -> tuple[Array, Array]:
    """The product."""
    product = a * b
    return product, (bits(a) + bits(b) <= 53) & fits(kind, product)


def divide(kind: Kind, a: Array, b: Array) -> tuple[Array, Array]:
    """The quotient."""
    with np.errstate(all="ignore"):
        quotient = a / b
        back, sure = multiply(kind, np.where(np.isfinite(quotient), quotient, 0.0), b)
    return quotient, (b != 0) & sure & (back == a) & fits(kind, quotient)


def root(kind: Kind, a: Array) -> tuple[Array, Array]:
    """The square root."""
    with np.errstate(all="ignore"):
        found = np.sqrt(a)
    return found, (a >= 0) & fits(kind, found) & (2 * bits(found) <= 53) & (found * found == a)


def grain(values: Array) -> float:
    """The largest power of two that divides all finite values; 1 where all are zero."""
    used = values[np.isfinite(values) & (values != 0)]
    if not used.size:
        return 1.0
    return float(np.min(np.ldexp(1.0, np.frexp(used)[1] - bits(used))))


def any_order(kind: Kind, total_of_sizes: Array, step: float) -> Array:
    """Whether a sum of multiples of `step` with this sum of absolute values is exact however it is put together."""
    room = 2.0 ** min(kind.precision, 52)
    limit = min(step * room, kind.largest)
    return (total_of_sizes <= limit) & (step >= kind.smallest)


def any_product(kind: Kind, values: Array, axis: int) -> Array:
    """Whether a product along an axis is exact however it is put together."""
    inside = np.where(np.isfinite(values) & (values != 0), values, 1.0)
    exponents = np.abs(np.frexp(inside)[1]).sum(axis=axis)
    room = min(int(-np.log2(kind.smallest)), int(np.log2(kind.largest))) - 2
    needed = np.maximum(bits(inside) - 1, 0).sum(axis=axis) + 1
    return (needed <= min(kind.precision, 52)) & (exponents <= room)
