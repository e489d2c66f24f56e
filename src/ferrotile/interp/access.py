"""Reading and writing elements at addresses, with everything that is checked on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from ferrotile.interp.memory import Part
from ferrotile.interp.run import Run
from ferrotile.interp.value import Tile, filler
from ferrotile.ir.formats import Array


def active(shape: tuple[int, ...], *masks: Array | None) -> Array | None:
    """The numbers of the lanes that all masks let through; `None`: all lanes."""
    found: Array | None = None
    for mask in masks:
        if mask is not None:
            found = mask if found is None else found & mask
    return None if found is None else np.flatnonzero(np.broadcast_to(found, shape))


def load(
    op: Operation, run: Run, addresses: Array, lanes: Array | None, dtype: np.dtype[Any], rest: Tile | int,
    *, atomic: bool = False,
) -> Tile:  # fmt: skip
    """Read elements. Lanes that are not active are `rest`: a tile, or undetermined with this origin."""
    shape = addresses.shape
    flat = addresses.reshape(-1)
    wanted = flat if lanes is None else flat[lanes]
    parts = list(run.memory.parts(wanted, dtype.itemsize))
    is_whole = lanes is None and len(parts) == 1 and parts[0].lanes is None
    # What is read whole from one array, as most tiles are, needs nothing to be put into.
    data, origin = (None, None) if is_whole else _start(shape, dtype, lanes, rest)
    covered = 0
    for part in parts:
        chosen = _lanes(lanes, part)
        _check_alignment(op, run, part, dtype.itemsize)
        read = part.allocation.read(part.offsets, dtype)
        if data is None:
            data = read
        else:
            data[chosen] = read
        found = part.allocation.origins(part.offsets, dtype.itemsize)
        if found is not None and found.any():
            _read_undetermined(op, run, part, found)
            origin = np.zeros(flat.size, np.int32) if origin is None else origin
            origin[chosen] = found
        if not (atomic or run.races.is_idle):
            run.races.read(part.allocation, part.allocation.granules(part.offsets, dtype.itemsize), op)
        covered += part.offsets.size
    if covered < wanted.size:
        outside = _outside(op, run, flat, lanes, dtype.itemsize, "reads")
        origin = np.zeros(flat.size, np.int32) if origin is None else origin
        origin[outside] = run.log.origin("it was read outside every array", op)
    assert data is not None
    return Tile(data.reshape(shape), None if origin is None or not origin.any() else origin.reshape(shape))


def _start(shape: tuple[int, ...], dtype: np.dtype[Any], lanes: Array | None, rest: Tile | int) -> tuple[Array, Any]:
    """Data and origins before anything is read, as rows."""
    count = int(np.prod(shape))
    if isinstance(rest, int):
        data = np.full(count, filler(dtype), dtype)
        if lanes is None:
            return data, None
        origin = np.full(count, rest, np.int32)
    else:
        data = np.array(np.broadcast_to(rest.data, shape)).reshape(-1)
        if rest.origin is None:
            return data, None
        origin = np.array(np.broadcast_to(rest.origin, shape)).reshape(-1)
    origin[slice(None) if lanes is None else lanes] = 0
    return data, origin


def store(op: Operation, run: Run, addresses: Array, lanes: Array | None, value: Tile, *, atomic: bool = False) -> None:
    """Write elements. Undetermined ones, and two that go to one place and differ, are findings."""
    flat = addresses.reshape(-1)
    wanted = flat if lanes is None else flat[lanes]
    data = np.broadcast_to(value.data, addresses.shape).reshape(-1)
    origin = None if value.origin is None else np.broadcast_to(value.origin, addresses.shape).reshape(-1)
    size, covered = data.dtype.itemsize, 0
    for part in run.memory.parts(wanted, size):
        chosen = _lanes(lanes, part)
        allocation = part.allocation
        _check_alignment(op, run, part, size)
        values, poison = data[chosen], None if origin is None else origin[chosen]
        if poison is not None and poison.any():
            run.log.poison("poison-store", "the stored value", poison, op, run.block, allocation.name)
        _check_elements(op, run, part, size)
        allocation.write(part.offsets, values)
        allocation.mark(part.offsets, size, poison)
        if not atomic:
            _check_collisions(op, run, part, values)
        run.races.write(allocation, allocation.granules(part.offsets, size), op, atomic=atomic)
        covered += part.offsets.size
    if covered < wanted.size:
        _outside(op, run, flat, lanes, size, "writes")


def _lanes(lanes: Array | None, part: Part) -> Any:
    if part.lanes is None:
        return slice(None) if lanes is None else lanes
    return part.lanes if lanes is None else lanes[part.lanes]


def _read_undetermined(op: Operation, run: Run, part: Part, found: Array) -> None:
    """Report reads of memory that nothing has written; poison that was stored is only passed on."""
    for number in np.unique(found):
        if number and run.log.origins[int(number)].reads_memory:
            lanes = np.flatnonzero(found == number)
            name, granule = part.allocation.name, part.allocation.granule
            index = int(part.offsets[lanes[0]]) // granule
            said = f"`{op.name}` reads `{name}` where nothing has been written"
            run.log.add("read-before-write", said, op, run.block, array=name, index=index, count=lanes.size)


def _check_alignment(op: Operation, run: Run, part: Part, size: int) -> None:
    if size == 1:
        return
    # Sizes are powers of two, and most bases are multiples of them.
    base = part.allocation.base
    off = (part.offsets if not base & (size - 1) else part.offsets + base) & (size - 1)
    if off.any():
        said = f"`{op.name}` reaches an address that is no multiple of {size}"
        first = int(part.offsets[np.flatnonzero(off)[0]]) // part.allocation.granule
        count = int(np.count_nonzero(off))
        run.log.add("misaligned", said, op, run.block, array=part.allocation.name, index=first, count=count)


def _check_collisions(op: Operation, run: Run, part: Part, values: Array) -> None:
    """What stands in memory after a store is what each lane wrote, or two lanes wrote to one place."""
    seen = part.allocation.read(part.offsets, values.dtype)
    bits = f"u{values.dtype.itemsize}"
    lost = np.ascontiguousarray(seen).view(bits) != np.ascontiguousarray(values).view(bits)
    if lost.any():
        said = f"`{op.name}` writes different values to one element"
        index = int(part.offsets[np.flatnonzero(lost)[0]]) // part.allocation.granule
        name, count = part.allocation.name, int(lost.sum())
        run.log.add("write-write", said, op, run.block, other=op, array=name, index=index, count=count)


def _check_elements(op: Operation, run: Run, part: Part, size: int) -> None:
    """What lies between the elements of an array, and behind them, may be read but not written."""
    if part.allocation.elements is None:
        return
    where = part.allocation.granules(part.offsets, size)
    strays = ~part.allocation.elements[where]
    if strays.any():
        name, index = part.allocation.name, int(where[tuple(np.argwhere(strays)[0])])
        said = f"`{op.name}` writes {index} elements after the start of `{name}`, where it has no element"
        run.log.add("out-of-bounds", said, op, run.block, array=name, index=index, count=int(strays.sum()))


def _outside(op: Operation, run: Run, flat: Array, lanes: Array | None, size: int, verb: str) -> Array:
    """Report the active lanes that lie in no allocation; their numbers."""
    chosen = np.arange(flat.size) if lanes is None else lanes
    is_outside = np.ones(chosen.size, np.bool_)
    for part in run.memory.parts(flat[chosen], size):
        is_outside[slice(None) if part.lanes is None else part.lanes] = False
    outside = chosen[is_outside]
    name, index = run.memory.nearest(int(flat[outside[0]]))
    where = f"element {index} of `{name}`, which ends before" if name else "memory that belongs to no array"
    said = f"`{op.name}` {verb} {where}"
    run.log.add("out-of-bounds", said, op, run.block, array=name, index=index, count=outside.size)
    return outside
