"""Steps for views of arrays, and the geometry of tiles in them.

Tile axis `i` runs along array axis `dim_map[i]`; the tile with index `j` starts at `j` times the tile's extent, or
times the traversal stride. Indices are unsigned and must lie in the index space: a tile may hang over the end of an
array, but not lie wholly outside.
"""

from __future__ import annotations

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
    rank, size = len(kind.tile_shape), storage(tensor.type.element).itemsize
    total = np.asarray(tensor.address, np.int64)
    inside: Array | None = None
    space = index_space(view)
    for i, (axis, step) in enumerate(zip(axes_of(kind), steps_of(kind), strict=True)):
        require_address(indices[i], "an index", op, run)
        number = unsigned(indices[i].data, names[i]).astype(np.int64)
        # Of a list of places, those outside are padding like other elements; all outside is no tile.
        if np.all(number >= space[i]):
            said = f"tile index {int(np.max(number))} along axis {i} of {space[i]} tiles"
            run.log.add("view-index", said, op, run.block)
        within = np.arange(kind.tile_shape[i], dtype=np.int64)
        place = number if number.ndim else number * step + within
        shape = [1] * rank
        shape[i] = -1
        total = total + (place * (tensor.strides[axis] * size)).reshape(shape)
        if place.size and int(place.max()) >= tensor.shape[axis]:
            part = (place < tensor.shape[axis]).reshape(shape)
            inside = part if inside is None else inside & part
    addresses = np.broadcast_to(total, kind.tile_shape)
    return Lanes(addresses, None if inside is None else np.broadcast_to(inside, kind.tile_shape))


BUILDERS: dict[str, Builder] = {
    "make_tensor_view": make_tensor,
    "make_partition_view": make_view,
    "make_strided_view": make_view,
    "make_gather_scatter_view": make_view,
    "get_tensor_shape": extents,
    "get_index_space_shape": extents,
}
