"""The meaning of matrix products: exact products, summed in f64 with the accumulator, rounded once to its type.

A device sums in another order and precision; what it is allowed is a bound, not this answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ferrotile.ir.enums import Signedness
from ferrotile.ir.formats import Array, narrow, widen
from ferrotile.ir.integers import read, wrap


def multiply(v: Any) -> Array:
    """lhs @ rhs + acc in floats."""
    total = np.matmul(widen(v.lhs, v.of("lhs")), widen(v.rhs, v.of("rhs"))) + widen(v.acc, v.of("acc"))
    return narrow(total, v.of("result"))


def multiply_scaled(v: Any) -> Array:
    """lhs @ rhs + acc, where runs along the inner axis have a scale each."""
    lhs, rhs = widen(v.lhs, v.of("lhs")), widen(v.rhs, v.of("rhs"))
    left = np.repeat(widen(v.lhs_scale, v.of("lhs_scale")), lhs.shape[-1] // v.lhs_scale.shape[-1], axis=-1)
    right = np.repeat(widen(v.rhs_scale, v.of("rhs_scale")), rhs.shape[-2] // v.rhs_scale.shape[-2], axis=-2)
    return narrow(np.matmul(lhs * left, rhs * right) + widen(v.acc, v.of("acc")), v.of("result"))


def multiply_integers(v: Any) -> Array:
    """lhs @ rhs + acc in integers: exact in f64, then wrap-around to 32 bits."""
    lhs = read(v.lhs, "i8", Signedness(v.signedness_lhs)).astype(np.float64)
    rhs = read(v.rhs, "i8", Signedness(v.signedness_rhs)).astype(np.float64)
    return wrap(np.matmul(lhs, rhs).astype(np.int64) + v.acc.astype(np.int64), "i32")
