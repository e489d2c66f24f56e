"""Element types of generated kernels: how cuTile Python names them, and how NumPy holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """An element type. `storage` is what an array in memory has; lanes keep floats as float64, which holds them all.

    `precision`, `smallest`, `largest`: of floats, bits of the significand and the range of normal numbers.
    """

    name: str
    group: str
    bits: int
    storage: np.dtype[Any]
    signed: bool = True
    precision: int = 0
    smallest: float = 0.0
    largest: float = 0.0

    @property
    def is_float(self) -> bool:
        """Whether it is a float type, arithmetic or not."""
        return self.group in ("float", "narrow")

    @property
    def lanes(self) -> np.dtype[Any]:
        """The NumPy type that lanes compute in."""
        return np.dtype(np.float64) if self.is_float else self.storage

    def __str__(self) -> str:
        return f"ct.{self.name}"


def _float(name: str, bits: int, storage: Any, precision: int, smallest: int, largest: float, group: str) -> Kind:
    return Kind(name, group, bits, np.dtype(storage), True, precision, 2.0**smallest, largest)


BOOL = Kind("bool_", "bool", 1, np.dtype(np.bool_), signed=False)
INTS = tuple(
    Kind(f"{sign}int{bits}", "int", bits, np.dtype(f"{sign}int{bits}"), not sign)
    for bits in (32, 64, 16, 8)
    for sign in ("", "u")
)
I32, U32, I64, U64, I16, U16, I8, U8 = INTS
F32 = _float("float32", 32, np.float32, 24, -126, float(np.finfo(np.float32).max), "float")
F16 = _float("float16", 16, np.float16, 11, -14, 65504.0, "float")
BF16 = _float("bfloat16", 16, ml_dtypes.bfloat16, 8, -126, (2 - 2.0**-7) * 2.0**127, "float")
F64 = _float("float64", 64, np.float64, 53, -1022, float(np.finfo(np.float64).max), "float")
TF32 = _float("tfloat32", 32, np.float32, 11, -126, (2 - 2.0**-10) * 2.0**127, "narrow")
E4M3 = _float("float8_e4m3fn", 8, ml_dtypes.float8_e4m3fn, 4, -6, 448.0, "narrow")
E5M2 = _float("float8_e5m2", 8, ml_dtypes.float8_e5m2, 3, -14, 57344.0, "narrow")

FLOATS = (F32, F16, BF16, F64)
NARROW = (E4M3, E5M2, TF32)
"""Floats that arithmetic does not take: they are converted, moved and multiplied as matrices."""

ALL = (*INTS, BOOL, *FLOATS, *NARROW)
BY_NAME = {kind.name: kind for kind in ALL}
GROUPS = ("bool", "int", "float")


def promoted(a: Kind, b: Kind) -> Kind:
    """The common type of two operands, for the pairs that the author mixes: another group, or a wider one like it."""
    if a == b:
        return a
    if a.group != b.group:
        return max(a, b, key=lambda kind: GROUPS.index(kind.group))
    assert a.signed == b.signed and a.bits != b.bits
    return max(a, b, key=lambda kind: kind.bits)


def mixes(a: Kind, b: Kind) -> bool:
    """Whether `promoted` knows the pair."""
    if a.group not in GROUPS or b.group not in GROUPS:
        return a == b
    return a == b or a.group != b.group or (a.signed == b.signed and a.bits != b.bits)
