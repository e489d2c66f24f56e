"""The arguments of a launch: what a specialization can depend on of them, and the words that a program takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from ferrotile.core import InputError, Role, Unsupported
from ferrotile.ir.types import PointerType, ScalarType, TileType

ALIGNMENT = 16
"""cuda.tile tells addresses apart by whether they are multiples of this. Unit: bytes."""
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
_FLOATS: dict[str, Any] = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32, "f64": np.float64}


@dataclass(frozen=True, slots=True)
class ArrayGiven:
    """An array of a launch. Units: strides in elements."""

    address: int
    dtype: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read(value: Any) -> Any:
    """An array of any library as an `ArrayGiven`; lists and tuples item by item; what is no array as it is."""
    if hasattr(value, "data_ptr") and hasattr(value, "stride"):  # torch
        return ArrayGiven(value.data_ptr(), value.dtype, tuple(value.shape), tuple(value.stride()))
    if type(value) in (list, tuple):
        return type(value)(map(read, value))
    facts = None if isinstance(value, type) else getattr(value, "__cuda_array_interface__", None)
    return value if facts is None else _of_interface(facts)


def _of_interface(facts: dict[str, Any]) -> ArrayGiven:
    shape, size = tuple(facts["shape"]), int(facts["typestr"][2:])
    strides = facts.get("strides")
    if strides is None:
        strides = tuple(size * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return ArrayGiven(facts["data"][0], facts["typestr"], shape, tuple(stride // size for stride in strides))


def key(values: Sequence[Any], constants: Sequence[bool]) -> tuple[Any, ...]:
    """What the specialization of a launch can depend on; `constants`: which parameters are declared `ct.Constant`."""
    return tuple(_key(value, is_constant) for value, is_constant in zip(values, constants, strict=True))


def _key(value: Any, is_constant: bool) -> Any:
    if isinstance(value, ArrayGiven):
        return value.dtype, value.shape, value.strides, value.address % ALIGNMENT
    if type(value) in (list, tuple):
        # Items of a tuple can be constants one by one.
        return type(value), tuple(_key(item, is_constant or type(value) is tuple) for item in value)
    if type(value) in (int, float, bool) and not is_constant:
        return type(value)
    return type(value), repr(value)


@dataclass(frozen=True, slots=True)
class Passed:
    """The arguments as a parameter map numbers them: arrays, and scalars, of which a list of arrays takes two."""

    arrays: tuple[ArrayGiven, ...]
    scalars: tuple[Any, ...]

    @staticmethod
    def of(values: Sequence[Any], constants: Sequence[Any]) -> Passed:
        """Spread tuples out, leave constants out."""
        arrays: list[ArrayGiven] = []
        scalars: list[Any] = []
        for value in _spread(values, constants):
            if isinstance(value, ArrayGiven):
                arrays.append(value)
            elif isinstance(value, list):
                scalars += [tuple(value), len(value)]
            else:
                scalars.append(value)
        return Passed(tuple(arrays), tuple(scalars))


def _spread(values: Sequence[Any], constants: Sequence[Any]) -> Iterator[Any]:
    for value, is_constant in zip(values, constants, strict=True):
        if isinstance(value, tuple):
            of_items = is_constant if isinstance(is_constant, tuple) else (is_constant,) * len(value)
            yield from _spread(value, of_items)
        elif is_constant is not True:
            yield value


Table = Callable[[np.ndarray[Any, Any]], int]
"""Puts rows of 64-bit words into the GPU's memory, and gives their address."""
Word = Callable[[Passed, Table], int]
"""One entry parameter of a launch as a word of 64 bits, of which the program reads the low ones that it wants."""


def word(role: Role, kind: TileType) -> Word:
    """How to get one entry parameter of a type from the arguments. Raises: FT609."""
    index, axis = (role.index if role.kind == "scalar" else role.array) or 0, role.axis or 0
    if role.kind == "pointer":
        return lambda passed, table: passed.arrays[index].address
    if role.kind == "scalar" and isinstance(kind.element, PointerType):
        return lambda passed, table: _table(passed.scalars[index], table)
    if not isinstance(kind.element, ScalarType):
        raise Unsupported("FT609", f"a parameter of type `{kind}` cannot be passed at a launch")
    name = kind.element.name
    if role.kind == "shape":
        return lambda passed, table: number(passed.arrays[index].shape[axis], name)
    if role.kind == "stride":
        return lambda passed, table: number(passed.arrays[index].strides[axis], name)
    # The address of a table of arrays is a number of 64 bits where the front end made it one.
    return lambda passed, table: (
        _table(passed.scalars[index], table)
        if isinstance(passed.scalars[index], tuple)
        else number(passed.scalars[index], name)
    )


def _table(arrays: tuple[ArrayGiven, ...], table: Table) -> int:
    """Rows of address, extents, strides: what cuTile Python passes for a list of arrays."""
    return table(np.array([[array.address, *array.shape, *array.strides] for array in arrays], np.uint64))


def number(value: Any, name: str) -> int:
    """The bits of a number as an element type. Raises: FT621 when it is no such number."""
    if name in _FLOATS:
        return int.from_bytes(np.asarray(value, _FLOATS[name]).tobytes(), "little")
    bits = BITS[name]
    value = int(value)
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise InputError("FT621", f"`{value}` is passed for a parameter of type `{name}`")
    return value & ((1 << bits) - 1)
