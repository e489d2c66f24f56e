"""Formulas in float64 that carry a bound of what a kernel may deviate, derived from dtype and operations.

Each operation of a formula adds its own rounding error, in units of the precision in which the kernel computes, and
passes on the errors of its operands by the rules of first principles. No tolerance is chosen by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ferrotile.ir.formats import FORMATS

UNIT = {name: 2.0**-form.precision for name, form in FORMATS.items()}
"""Half the distance between neighbours, relative: what one rounding to nearest can change."""

SINGLE = UNIT["f32"]


class Bounded:
    """Values, and for each a bound on what the kernel's value may differ from it."""

    __array_priority__ = 100

    def __init__(self, value: Any, error: Any = 0.0) -> None:
        self.value = np.asarray(value, np.float64)
        self.error = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)

    def rounded(self, unit: float = SINGLE, times: float = 1.0) -> Bounded:
        """After one more rounding."""
        size = np.where(np.isfinite(self.value), np.abs(self.value) + self.error, 0.0)
        return Bounded(self.value, self.error + times * (unit * size + 2.0**-149))

    def to(self, name: str) -> Bounded:
        """After conversion to a type."""
        form = FORMATS[name]
        size = np.where(np.isfinite(self.value), np.abs(self.value) + self.error, 0.0)
        smallest = 2.0 ** (form.smallest - form.precision)
        return Bounded(self.value, self.error + UNIT[name] * size + smallest)

    def __add__(self, other: Any) -> Bounded:
        other = _of(other)
        return Bounded(self.value + other.value, self.error + other.error).rounded()

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def __sub__(self, other: Any) -> Bounded:
        return self + -_of(other)

    def __mul__(self, other: Any) -> Bounded:
        other = _of(other)
        error = _times(np.abs(self.value), other.error) + _times(np.abs(other.value), self.error)
        return Bounded(self.value * other.value, error + self.error * other.error).rounded()

    def __truediv__(self, other: Any) -> Bounded:
        other = _of(other)
        value = self.value / other.value
        room = np.abs(other.value) - other.error
        error = (self.error + _times(np.abs(value), other.error)) / np.where(room > 0, room, np.nan)
        return Bounded(value, np.where(np.isnan(error), np.inf, error)).rounded()

    def exp(self) -> Bounded:
        value = np.exp(self.value)
        return Bounded(value, _times(value, np.expm1(np.minimum(self.error, 700.0)))).rounded()

    def sqrt(self) -> Bounded:
        value = np.sqrt(self.value)
        low = np.sqrt(np.maximum(self.value - self.error, 0.0))
        return Bounded(value, value - low).rounded()

    def sum(self, axis: int, roundings: float | None = None) -> Bounded:
        """Added up by neighbours, so that each term is rounded about log2(n) times."""
        steps = np.ceil(np.log2(max(self.value.shape[axis], 2))) + 2 if roundings is None else roundings
        size = np.where(np.isfinite(self.value), np.abs(self.value) + self.error, 0.0).sum(axis, keepdims=True)
        error = self.error.sum(axis, keepdims=True) + steps * SINGLE * size
        return Bounded(self.value.sum(axis, keepdims=True), error)

    def max(self, axis: int) -> Bounded:
        return Bounded(self.value.max(axis, keepdims=True), self.error.max(axis, keepdims=True))


def dot(a: Any, b: Any, roundings: float) -> Bounded:
    """A matrix product whose partial sums are rounded so many times."""
    a, b = _of(a), _of(b)
    error = np.matmul(np.abs(a.value) + a.error, b.error) + np.matmul(a.error, np.abs(b.value))
    size = np.matmul(np.abs(a.value), np.abs(b.value)) + error
    return Bounded(np.matmul(a.value, b.value), error + roundings * (SINGLE * size + 2.0**-149))


def _of(value: Any) -> Bounded:
    return value if isinstance(value, Bounded) else Bounded(value)


def _times(a: Any, b: Any) -> Any:
    """A product in which nothing times infinity is nothing."""
    product = a * b
    return np.where((a == 0) | (b == 0), 0.0, product)


def breaches(expected: Bounded, got: Any, largest: float) -> Any:
    """Where results lie outside their bound; what is larger than the type holds may be infinite."""
    got = np.asarray(got).astype(np.float64)
    value, error = np.broadcast_to(expected.value, got.shape), np.broadcast_to(expected.error, got.shape)
    alike = (got == value) | (np.isnan(got) & np.isnan(value))
    close = np.abs(got - value) <= error
    overflows = np.isinf(got) & (np.sign(got) == np.sign(value)) & (np.abs(value) + error >= largest)
    return ~(alike | close | overflows)
