"""What a launch is given, and how arrays and numbers become the entry parameters of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile.core import InputError
from ferrotile.core.parameters import Role
from ferrotile.interp.finding import Log
from ferrotile.interp.memory import Allocation, Memory
from ferrotile.interp.value import Tile
from ferrotile.ir.formats import Array, narrow, storage
from ferrotile.ir.integers import wrap
from ferrotile.ir.types import PointerType, ScalarType, TileType


@dataclass(frozen=True, eq=False)
class Buffer:
    """An array argument. Plain NumPy arrays serve as well; this says more.

    `is_output`: its elements are undetermined until a kernel writes them. `alignment` of its address in bytes, plus
    `shift`. Memory between the rows of a strided array may be read without a finding, and so may `behind` bytes of
    NaN after its end, as where an array is a part of a larger one; neither may be written.
    """

    data: Array
    is_output: bool = False
    name: str = ""
    alignment: int = 256
    shift: int = 0
    behind: int = 0


@dataclass(frozen=True, eq=False)
class Table:
    """A list of arrays, which a kernel reaches through a table: of each the address, extents and strides."""

    items: tuple[Array | Buffer, ...]


Argument = Any
"""A NumPy array, `Buffer`, `Table`, or a number."""


def output(shape: int | Sequence[int], dtype: Any, name: str = "") -> Buffer:
    """An array that nothing has written yet; it is filled with NaN, or with a large number."""
    kind = np.dtype(dtype)
    is_whole = np.issubdtype(kind, np.integer) or kind == np.bool_
    value = (True if kind == np.bool_ else np.iinfo(kind).max // 3) if is_whole else np.asarray(np.nan).astype(kind)
    return Buffer(np.full(shape, value, kind), is_output=True, name=name)


@dataclass(frozen=True, eq=False)
class Placed:
    """An array argument in memory."""

    buffer: Buffer
    allocation: Allocation

    def result(self) -> Array:
        """The array as the kernel left it, with the shape and strides that it came with."""
        data = self.buffer.data
        words = f"u{data.itemsize}"
        whole = self.allocation.data[: self.allocation.data.size // data.itemsize * data.itemsize].view(words)
        return np.lib.stride_tricks.as_strided(whole, data.shape, data.strides).view(data.dtype)

    def undetermined(self) -> Array:
        """Which elements are undetermined."""
        origins = self.allocation.undetermined
        data = self.buffer.data
        if origins is None:
            return np.zeros(data.shape, np.bool_)
        steps = [stride // data.itemsize * origins.itemsize for stride in data.strides]
        return np.lib.stride_tricks.as_strided(origins, data.shape, steps) != 0


def place(memory: Memory, log: Log, value: Array | Buffer, number: int) -> Placed:
    """Copy an array, with what lies between its elements, to an address."""
    buffer = value if isinstance(value, Buffer) else Buffer(np.asarray(value))
    data = buffer.data
    if any(stride < 0 for stride in data.strides):
        raise InputError("FT251", f"array {number} has a negative stride")
    size = sum((extent - 1) * stride for extent, stride in zip(data.shape, data.strides, strict=True)) + data.itemsize
    raw = _bytes_at(data, size) if data.size else np.zeros(0, np.uint8)
    raw = np.concatenate((raw, np.full(buffer.behind, 0xFF, np.uint8))) if buffer.behind else raw
    name = buffer.name or f"array {number}"
    made = memory.place(name, raw, data.itemsize, buffer.alignment, buffer.shift)
    if raw.size > data.nbytes and not any(stride % data.itemsize for stride in data.strides):
        made.elements = np.zeros(made.granule_count, np.bool_)
        steps = [stride // data.itemsize for stride in data.strides]
        np.lib.stride_tricks.as_strided(made.elements, data.shape, steps)[...] = True
    if buffer.is_output and data.size:
        origin = log.origin("nothing has written it", None, reads_memory=True)
        made.undetermined = np.full(made.granule_count, origin, np.int32)
    return Placed(buffer, made)


def _bytes_at(data: Array, size: int) -> Array:
    """A copy of the bytes from the first element of an array on."""
    first = data.view(f"u{data.itemsize}")[tuple(slice(0, 1) for _ in data.shape)].reshape(-1)
    return np.array(np.lib.stride_tricks.as_strided(first.view(np.uint8), (size,), (1,)))


def roles_of(arguments: Sequence[Argument]) -> tuple[Role, ...]:
    """The roles of entry parameters as cuTile Python lays them out: pointer, extents, strides of each array."""
    roles: list[Role] = []
    arrays = scalars = 0
    for value in arguments:
        if not isinstance(value, np.ndarray | Buffer | Table) or _is_number(value):
            roles.append(Role.scalar(scalars))
            scalars += 1
            continue
        if isinstance(value, Table):
            roles += [Role.scalar(scalars), Role.scalar(scalars + 1)]
            scalars += 2
            continue
        rank = (value.data if isinstance(value, Buffer) else value).ndim
        roles.append(Role.pointer(arrays))
        roles += [Role.shape(arrays, axis) for axis in range(rank)]
        roles += [Role.stride(arrays, axis) for axis in range(rank)]
        arrays += 1
    return tuple(roles)


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.ndim


def place_all(memory: Memory, log: Log, arguments: Sequence[Argument]) -> tuple[list[Placed], list[Any], list[Placed]]:
    """Copy all arrays to addresses; besides them the scalars (a table is two, its address and its length), and the
    arrays that tables list.
    """
    arrays: list[Placed] = []
    scalars: list[Any] = []
    listed: list[Placed] = []
    for value in arguments:
        if isinstance(value, Table):
            items = [place(memory, log, item, k) for k, item in enumerate(value.items)]
            listed += items
            table = place(memory, log, Buffer(np.asarray([_row(item) for item in items], np.int64), name="table"), 0)
            scalars += [table.allocation.base, len(items)]
        elif isinstance(value, np.ndarray | Buffer) and not _is_number(value):
            arrays.append(place(memory, log, value, len(arrays)))
        else:
            scalars.append(value)
    return arrays, scalars, listed


def _row(item: Placed) -> list[int]:
    data = item.buffer.data
    return [item.allocation.base, *data.shape, *(stride // data.itemsize for stride in data.strides)]


def entry_values(
    entry: Operation, roles: Sequence[Role], placed: Sequence[Placed], scalars: Sequence[Any]
) -> list[Tile]:
    """The value of each entry parameter. Raises: FT251."""
    for role in roles:
        if (role.index or 0) >= max(len(scalars), 1) or (role.array or 0) >= max(len(placed), 1):
            raise InputError("FT251", f"the kernel takes {role}, which is not given")
    kinds = [cast(TileType, value.type) for value in entry.regions[0].block.args]
    if len(kinds) != len(roles):
        raise InputError("FT251", f"the kernel has {len(kinds)} entry parameters, and {len(roles)} are given")
    return [_value(kind, role, placed, scalars) for kind, role in zip(kinds, roles, strict=True)]


def _value(kind: TileType, role: Role, placed: Sequence[Placed], scalars: Sequence[Any]) -> Tile:
    if role.kind == "scalar":
        return scalar(kind, scalars[role.index or 0])
    item = placed[role.array or 0]
    if role.kind == "pointer":
        if not isinstance(kind.element, PointerType):
            raise InputError("FT251", f"{role} meets a parameter of type `{kind}`")
        return Tile(np.asarray(item.allocation.base, np.int64))
    data = item.buffer.data
    axis = role.axis or 0
    number = data.shape[axis] if role.kind == "shape" else data.strides[axis] // data.itemsize
    return scalar(kind, number)


def scalar(kind: TileType, value: Any) -> Tile:
    """A number as a parameter of this type. Raises: FT251."""
    element = kind.element
    if not isinstance(element, ScalarType):
        return Tile(np.asarray(int(value), storage(element)))
    if element.is_float:
        return Tile(narrow(np.asarray(float(value)), element.name))
    if not float(value).is_integer():
        raise InputError("FT251", f"{value} is given for a parameter of type `{kind}`")
    return Tile(wrap(np.asarray(int(value)), element.name))
