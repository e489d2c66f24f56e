"""Arguments for the interpreter that fit any kernel of this folder: arrays larger than what it reads, small numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferrotile import ir
from ferrotile.core import ParameterMap, Role
from ferrotile.ir.formats import STORAGE, narrow
from ferrotile.ir.types import PointerType, ScalarType, TileType

NUMBER = 16
"""What every integer parameter is given: an extent, a stride, a count."""
ELEMENTS = 1 << 14


def made(module: ir.Module, parameters: ParameterMap) -> tuple[list[Any], ParameterMap]:
    """Arguments, and the map with every pointer as an array."""
    arguments = module.entries[0].regions[0].block.args
    arrays: list[Any] = []
    numbers: list[Any] = []
    new: dict[Role, Role] = {}
    rng = np.random.default_rng(0)
    for value, role in zip(arguments, parameters.reference, strict=True):
        assert isinstance(value.type, TileType)
        element = value.type.element
        if isinstance(element, PointerType):
            rank = sum(other.kind == "shape" and other.array == role.array for other in parameters.reference)
            shape = (4,) * (rank - 1) + (64,) if rank and role.kind == "pointer" else (ELEMENTS,)
            new[role] = Role.pointer(len(arrays))
            arrays.append(_array(rng, element.pointee, shape))
        elif role.kind == "scalar":
            new[role] = Role.scalar(len(numbers))
            numbers.append(NUMBER if element.is_integer else 1.5)
        elif role.kind == "shape":
            new[role] = Role.shape(new[Role.pointer(role.array or 0)].array or 0, role.axis or 0)
        else:
            new[role] = Role.stride(new[Role.pointer(role.array or 0)].array or 0, role.axis or 0)
    sides = (tuple(new[role] for role in side) for side in (parameters.reference, parameters.lowered))
    return [*arrays, *numbers], ParameterMap(*sides)


def _array(rng: np.random.Generator, element: ScalarType, shape: tuple[int, ...]) -> Any:
    if element.is_integer:
        return rng.integers(0, 2 if element.bits == 1 else 8, shape).astype(STORAGE[element.name])
    return narrow(rng.standard_normal(shape), element.name)
