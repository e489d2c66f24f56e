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
    """An array of a launch; `device`: kind and number as DLPack has them, if it tells. Units: strides in elements,
    itemsize in bytes.
    """

    address: int
    dtype: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int = 1
    device: tuple[int, int] | None = None


def read(value: Any) -> Any:
    """An array of any library as an `ArrayGiven`; lists and tuples item by item; what is no array as it is."""
    if hasattr(value, "data_ptr") and hasattr(value, "stride"):  # torch
        shape, strides, size = tuple(value.shape), tuple(value.stride()), int(value.dtype.itemsize)
        return ArrayGiven(value.data_ptr(), value.dtype, shape, strides, size, _device(value))
    if type(value) in (list, tuple):
        return type(value)(map(read, value))
    facts = None if isinstance(value, type) else getattr(value, "__cuda_array_interface__", None)
    return value if facts is None else _of_interface(facts)


def _device(value: Any) -> tuple[int, int]:
    try:
        kind, number = value.__dlpack_device__()
    except Exception:  # torch raises errors of several classes for devices that DLPack has no number for
        return 0, 0
    return int(kind), int(number)


def _of_interface(facts: dict[str, Any]) -> ArrayGiven:
    shape, size = tuple(facts["shape"]), int(facts["typestr"][2:])
    strides = facts.get("strides")
    if strides is None:
        strides = tuple(size * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    in_elements = tuple(stride // size for stride in strides)
    return ArrayGiven(facts["data"][0], facts["typestr"], shape, in_elements, size)


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
        for value, is_constant in _leaves(values, constants):
            if isinstance(value, ArrayGiven):
                arrays.append(value)
            elif isinstance(value, list):
                scalars += [tuple(value), len(value)]
            elif not is_constant:
                scalars.append(value)
        return Passed(tuple(arrays), tuple(scalars))


def places_of_scalars(values: Sequence[Any], constants: Sequence[Any]) -> list[int]:
    """The places of `Passed.scalars` among all arguments that are no arrays, constants included; no lists."""
    others = [is_constant for value, is_constant in _leaves(values, constants) if not isinstance(value, ArrayGiven)]
    return [place for place, is_constant in enumerate(others) if not is_constant]


def _leaves(values: Sequence[Any], constants: Sequence[Any]) -> Iterator[tuple[Any, bool]]:
    """Arguments, with the items of tuples in their place, and which of them are constants."""
    for value, is_constant in zip(values, constants, strict=True):
        if isinstance(value, tuple):
            of_items = is_constant if isinstance(is_constant, tuple) else (is_constant,) * len(value)
            yield from _leaves(value, of_items)
        else:
            yield value, is_constant is True


Table = Callable[[np.ndarray[Any, Any]], int]
"""Puts rows of 64-bit words into the GPU's memory, and gives their address."""


@dataclass(frozen=True, slots=True)
class Word:
    """Where one entry parameter of a program comes from; `element` is its type, `ptr` for any pointer. It is passed in
    64 bits, of which the program reads the low ones that it wants.
    """

    role: str
    index: int
    axis: int
    element: str

    def bits(self, passed: Passed, table: Table) -> int:
        """Its value. Raises: FT621 a number that it cannot hold."""
        if self.role == "scalar":
            value = passed.scalars[self.index]
            # The address of a table of arrays is a number of 64 bits where the front end made it one.
            is_table = self.element == "ptr" or isinstance(value, tuple)
            return _table(value, table) if is_table else number(value, self.element)
        array = passed.arrays[self.index]
        if self.role == "pointer":
            return array.address
        return number((array.shape if self.role == "shape" else array.strides)[self.axis], self.element)


def word(role: Role, kind: TileType) -> Word:
    """How to get one entry parameter of a type from the arguments. Raises: FT609."""
    index = (role.index if role.kind == "scalar" else role.array) or 0
    if role.kind == "pointer" or isinstance(kind.element, PointerType):
        return Word(role.kind, index, 0, "ptr")
    if not isinstance(kind.element, ScalarType):
        raise Unsupported("FT609", f"a parameter of type `{kind}` cannot be passed at a launch")
    return Word(role.kind, index, role.axis or 0, kind.element.name)


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
