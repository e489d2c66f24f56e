"""Inputs that a kernel's signature allows: random, of ragged sizes, huge, exact, and with every special number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrotile.interp import Buffer, Table
from ferrotile.ir.formats import STORAGE, Array
from ferrotile.lift.source import (
    ArrayParameter,
    ConstantParameter,
    GroupParameter,
    KernelSymbol,
    ListParameter,
    ScalarParameter,
)

VARIANTS = ("random", "ragged", "huge", "exact", "special")
SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-40, -1e-7, 1.0)
GAP = 16
"""Elements of NaN between rows, and behind the last one."""
_FLOATS = {name.lower(): name for name in STORAGE if not name.startswith("i")}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy type of an element type as a kernel's symbol names it."""
    if name == "bool":
        return np.dtype(np.bool_)
    if name in _FLOATS:
        return STORAGE[_FLOATS[name]]
    return np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def arguments(symbol: KernelSymbol, variant: str, seed: int = 0, *, shrink: int = 1) -> list[Any] | None:
    """Arguments for `interpret`; None when the signature has a parameter of a kind that nothing is made for.

    Extents that the signature leaves open are the usual ones divided by `shrink`.
    """
    make = _Maker(variant, np.random.default_rng([seed, VARIANTS.index(variant)]), shrink)
    try:
        return [value for parameter in symbol.parameters for value in make.values(parameter)]
    except _NothingMade:
        return None


class _NothingMade(Exception):
    pass


@dataclass(frozen=True)
class _Maker:
    variant: str
    rng: np.random.Generator
    shrink: int = 1

    def values(self, parameter: object) -> list[Any]:
        """The arguments that one parameter takes."""
        match parameter:
            case ConstantParameter():
                return []
            case ArrayParameter():
                return [self.array(parameter)]
            case ListParameter(element):
                return [Table((self.array(element), self.array(element)))]
            case GroupParameter(items):
                return [value for item in items for value in self.values(item)]
            case ScalarParameter(dtype):
                kind = numpy_dtype(dtype)
                return [8 if np.issubdtype(kind, np.integer) else bool(kind == np.bool_) or float(self.rng.random())]
            case _:
                raise _NothingMade

    def array(self, parameter: ArrayParameter) -> Buffer:
        """An array as the signature allows it; its rows are apart, with NaN in between."""
        shape = [self.extent(parameter, axis) for axis in range(parameter.rank)]
        order = sorted(range(parameter.rank), key=lambda axis: (parameter.static_stride[axis] == 1, axis))
        laid = [shape[axis] for axis in order]
        if laid:
            laid[-1] += -laid[-1] % GAP + GAP * (len(laid) > 1)
        dtype = numpy_dtype(parameter.dtype)
        whole = np.full(laid, _behind(dtype), dtype)
        part = whole.transpose(np.argsort(order))[tuple(map(slice, shape))]
        part[...] = self.numbers(shape).astype(dtype) if _is_float(dtype) else self.rng.integers(0, 8, shape)
        return Buffer(part, behind=GAP * 32)

    def extent(self, parameter: ArrayParameter, axis: int) -> int:
        """A static extent, or a small one that has the divisor."""
        if (static := parameter.static_shape[axis]) is not None:
            return static
        from_last, divisor = parameter.rank - axis, parameter.shape_divisor[axis]
        usual = (128 if parameter.rank > 1 else 256) if from_last == 1 else 64 if from_last == 2 else 2
        smaller = max(usual // self.shrink, 1)
        wanted = smaller if self.variant != "ragged" else max(smaller * 5 // 7, 1)
        return -(-wanted // divisor) * divisor

    def numbers(self, shape: list[int]) -> Array:
        """Floats of the variant."""
        values = self.rng.standard_normal(shape)
        match self.variant:
            case "huge":
                return values * 1e4
            case "exact":
                return self.rng.integers(0, 2, shape).astype(np.float64)
            case "special":
                strange = self.rng.choice(np.array(SPECIAL), shape)
                return np.where(self.rng.random(shape) < 1 / 16, strange, values)
        return values


def _is_float(dtype: np.dtype[Any]) -> bool:
    return dtype != np.bool_ and not np.issubdtype(dtype, np.integer)


def _behind(dtype: np.dtype[Any]) -> Any:
    return np.asarray(math.nan).astype(dtype) if _is_float(dtype) else True
