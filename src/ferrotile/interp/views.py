"""Steps for views of arrays, and the geometry of tiles in them.

Tile axis `i` runs along array axis `dim_map[i]`; the tile with index `j` starts at `j` times the tile's extent, or
times the traversal stride. Indices are unsigned and must lie in the index space: a tile may hang over the end of an
array, but not lie wholly outside.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.run import Run, Step
from ferrotile.interp.value import TensorView, Tile, TileView
from ferrotile.ir.formats import STORAGE, Array, storage
from ferrotile.ir.integers import unsigned
from ferrotile.ir.types import (
    GatherScatterViewType,
    ScalarType,
    StridedViewType,
    TensorViewType,
    TileType,
    ViewType,
)


class Lanes(NamedTuple):
    """The elements that a tile stands for: addresses, and which lie inside the array (`None`: all)."""

    addresses: Array
    inside: Array | None


def make_tensor(plan: Plan, op: Operation) -> Step:
    """`make_tensor_view`."""
    kind = cast(TensorViewType, op.results[0].type)
    base, out = plan.need(op, "base"), plan.slot(op.results[0])
    extents, strides = plan.many(op, "dynamicShape"), plan.many(op, "dynamicStrides")

    def step(env: list[Any], run: Run) -> None:
        for slot in (base, *extents, *strides):
            require_address(env[slot], "the address, an extent or a stride of an array", op, run)
        shape = _filled(kind.shape, [int(env[slot].data) for slot in extents])
        steps = _filled(kind.strides, [int(env[slot].data) for slot in strides])
        env[out] = TensorView(kind, int(env[base].data), shape, steps)

    return step


def _filled(known: tuple[int | None, ...], unknown: list[int]) -> tuple[int, ...]:
    given = iter(unknown)
    return tuple(next(given) if item is None else item for item in known)


def require_address(tile: Tile, what: str, op: Operation, run: Run) -> None:
    """That an address is undetermined is a finding."""
    if tile.origin is not None:
        run.log.poison("poison-address", what, tile.origin, op, run.block)


def make_view(plan: Plan, op: Operation) -> Step:
    """`make_partition_view` and its kin."""
    tensor, out = plan.need(op, "tensor_view"), plan.slot(op.results[0])
    kind = cast(ViewType, op.results[0].type)

    def step(env: list[Any], run: Run) -> None:
        env[out] = TileView(kind, env[tensor])

    return step


def axes_of(kind: ViewType) -> tuple[int, ...]:
    """The array axis of each tile axis."""
    return tuple(range(len(kind.tile_shape))) if isinstance(kind, GatherScatterViewType) else kind.dim_map


def steps_of(kind: ViewType) -> tuple[int, ...]:
    """How many elements lie between the starts of neighbouring tiles, for each tile axis."""
    if isinstance(kind, GatherScatterViewType):
        # Every index counts elements: `ct.Slice(2, 4)` stands for elements 2 to 5, says the front end's documentation.
        return (1,) * len(kind.tile_shape)
    return kind.traversal_strides if isinstance(kind, StridedViewType) else kind.tile_shape


def index_space(view: TileView) -> tuple[int, ...]:
    """How many tiles there are along each tile axis."""
    pairs = zip(axes_of(view.type), steps_of(view.type), strict=True)
    return tuple(-(-view.tensor.shape[axis] // step) for axis, step in pairs)


def extents(plan: Plan, op: Operation) -> Step:
    """`get_tensor_shape` and `get_index_space_shape`."""
    source, out = plan.need(op, "src"), plan.results(op)
    names = [cast(ScalarType, cast(TileType, value.type).element).name for value in op.results]

    def step(env: list[Any], run: Run) -> None:
        value = env[source]
        found = index_space(value) if isinstance(value, TileView) else value.shape
        for slot, name, number in zip(out, names, found, strict=True):
            env[slot] = Tile(np.asarray(number).astype(STORAGE[name]))

    return step


def locate(view: TileView, indices: list[Tile], names: list[str], op: Operation, run: Run) -> Lanes:
    """The elements of the tile with these indices."""
    kind, tensor = view.type, view.tensor
    extents, size = kind.tile_shape, storage(tensor.type.element).itemsize
    axes, steps = axes_of(kind), steps_of(kind)
    places: list[int | Array] = []
    for i, (tile, name) in enumerate(zip(indices, names, strict=True)):
        require_address(tile, "an index", op, run)
        number = _index(tile.data, name)
        space = -(-tensor.shape[axes[i]] // steps[i])
        # Of a list of places, those outside are padding like other elements; all outside is no tile.
        if number >= space if isinstance(number, int) else bool(np.all(number >= space)):
            said = f"tile index {int(np.max(number))} along axis {i} of {space} tiles"
            run.log.add("view-index", said, op, run.block)
        places.append(_wrapped(number * steps[i]) if isinstance(number, int) else number)
    reach = tuple(tensor.strides[axis] * size for axis in axes)
    limits = tuple(tensor.shape[axis] for axis in axes)
    return Lanes(_addresses(tensor.address, places, extents, reach), _inside(places, extents, limits))


def _addresses(base: int, places: list[int | Array], extents: tuple[int, ...], reach: tuple[int, ...]) -> Array:
    """The addresses of a tile whose axes begin at a place, or have a list of places."""
    is_start = [isinstance(place, int) for place in places]
    total = _offsets(extents, tuple(step if one else 0 for one, step in zip(is_start, reach, strict=True)))
    for axis, (place, step) in enumerate(zip(places, reach, strict=True)):
        if isinstance(place, int):
            base += place * step
        else:
            total = total + _along(place * step, axis, len(extents))
    return total + _wrapped(base)


def _inside(places: list[int | Array], extents: tuple[int, ...], limits: tuple[int, ...]) -> Array | None:
    """Which elements lie inside the array; `None`: all."""
    found: Array | None = None
    for axis, (place, extent, limit) in enumerate(zip(places, extents, limits, strict=True)):
        if isinstance(place, int):
            if place + extent <= limit:
                continue
            place = np.arange(extent, dtype=np.int64) + place
        elif not place.size or int(place.max()) < limit:
            continue
        part = _along(place < limit, axis, len(extents))
        found = part if found is None else found & part
    return None if found is None else np.broadcast_to(found, extents)


def _wrapped(number: int) -> int:
    """A number as an i64 holds it."""
    return number if -(1 << 63) <= number < 1 << 63 else (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _index(data: Array, name: str) -> int | Array:
    """An index, or a row of them, read as unsigned; it has to fit into an i64."""
    if data.ndim == 0 and (number := int(data)) >= 0:
        return number
    found = unsigned(data, name).astype(np.int64)
    return found if found.ndim else int(found)


def _along(values: Array, axis: int, rank: int) -> Array:
    """A row of values as a tile that varies along one axis."""
    shape = [1] * rank
    shape[axis] = -1
    return values.reshape(shape)


@lru_cache(maxsize=64)
def _offsets(extents: tuple[int, ...], reach: tuple[int, ...]) -> Array:
    """How many bytes the elements of a tile lie behind its first one; loops ask for the same again and again."""
    total = np.zeros(extents, np.int64)
    for axis, (extent, step) in enumerate(zip(extents, reach, strict=True)):
        total += _along(np.arange(extent, dtype=np.int64) * step, axis, len(extents))
    total.flags.writeable = False
    return total


BUILDERS: dict[str, Builder] = {
    "make_tensor_view": make_tensor,
    "make_partition_view": make_view,
    "make_strided_view": make_view,
    "make_gather_scatter_view": make_view,
    "get_tensor_shape": extents,
    "get_index_space_shape": extents,
}
