"""Arrays of a generated kernel as ordinary NumPy arrays, with a mask of what is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from cuda.tile import PaddingMode

from fuzzing.kinds import I32, Array, Kind
from fuzzing.lanes import Lanes, cast, literal, made, stretched

PADDING = {
    PaddingMode.ZERO: 0.0, PaddingMode.NEG_ZERO: -0.0, PaddingMode.NAN: math.nan,
    PaddingMode.POS_INF: math.inf, PaddingMode.NEG_INF: -math.inf,
}  # fmt: skip
Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Memory:
    """An array parameter, or a part of one: `v` and `k` are views that stores write through."""

    kind: Kind
    v: Array
    k: Array
    index: Kind = I32

    @property
    def dtype(self) -> Kind:
        return self.kind

    @property
    def ndim(self) -> int:
        return self.v.ndim

    @property
    def shape(self) -> tuple[Lanes, ...]:
        return tuple(made(self.index, extent) for extent in self.v.shape)

    @property
    def strides(self) -> tuple[Lanes, ...]:
        return tuple(made(self.index, stride // self.v.itemsize) for stride in self.v.strides)

    def slice(self, axis: int, start: Any, stop: Any) -> Memory:
        """A part along one axis."""
        cut = [slice(None)] * self.v.ndim
        cut[axis] = slice(int(start), int(stop))
        return Memory(self.kind, self.v[tuple(cut)], self.k[tuple(cut)], self.index)

    def tiled_view(
        self, tile_shape: Any, padding_mode: Any = PaddingMode.UNDETERMINED, traversal_steps: Any = None
    ) -> View:
        """A view in tiles."""
        return View(self, _shape(tile_shape), padding_mode, traversal_steps and _shape(traversal_steps))


@dataclass(frozen=True, eq=False)
class View:
    """A tiled view."""

    memory: Memory
    tile: Shape
    padding: Any
    steps: Shape | None

    def num_tiles(self, axis: int) -> Lanes:
        """Tiles along an axis."""
        return made(I32, -(-self.memory.v.shape[axis] // (self.steps or self.tile)[axis]))

    def load(self, index: Any, **hints: Any) -> Lanes:
        """One tile."""
        return load(self.memory, index, self.tile, padding_mode=self.padding, steps=self.steps)

    def store(self, index: Any, tile: Any, **hints: Any) -> None:
        """Write one tile."""
        store(self.memory, index, stretched(value_for(self.memory, tile), self.tile), steps=self.steps)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("atomic_store_"):
            raise AttributeError(name)

        def change(index: Any, update: Any) -> None:
            places, inside = _places(self.memory, index, self.tile, _order("C", len(self.tile)), self.steps)
            update_all(self.memory, name.removeprefix("atomic_store_"), places, inside, update)

        return change


def _shape(shape: Any) -> Shape:
    return tuple(int(x) for x in shape) if isinstance(shape, tuple) else (int(shape),)


def _order(order: Any, rank: int) -> Shape:
    return tuple(range(rank)) if order == "C" else tuple(range(rank))[::-1] if order == "F" else tuple(order)


def _places(
    memory: Memory, index: Any, shape: Shape, order: Shape, steps: Shape | None
) -> tuple[tuple[Array, ...], Array]:
    """For each lane of a tile its place on every axis of the array, and whether it is inside."""
    at = [int(x) for x in (index if isinstance(index, tuple) else (index,))]
    grids = np.indices(shape)
    places = [np.zeros(shape, np.int64)] * len(order)
    for axis, (grid, number) in enumerate(zip(grids, at, strict=True)):
        places[order[axis]] = grid + number * (steps or shape)[axis]
    inside = np.ones(shape, np.bool_)
    for place, extent in zip(places, memory.v.shape, strict=True):
        inside &= (place >= 0) & (place < extent)
    return tuple(places), inside


def load(
    memory: Memory, index: Any, shape: Any, *, order: Any = "C", padding_mode: Any = PaddingMode.UNDETERMINED,
    steps: Shape | None = None, **hints: Any,
) -> Lanes:  # fmt: skip
    """`ct.load`."""
    shape = _shape(shape)
    full = shape or (1,) * memory.ndim
    places, inside = _places(memory, index, full, _order(order, memory.ndim), steps)
    safe = tuple(np.where(inside, place, 0) for place in places)
    padding = PADDING.get(padding_mode, 0.0)
    values = np.where(inside, memory.v[safe], np.asarray(padding if memory.kind.is_float else 0).astype(memory.v.dtype))
    # A tile with no lane inside has no defined value, whatever the padding.
    known = np.where(inside, memory.k[safe], padding_mode in PADDING and bool(inside.any()))
    return Lanes(memory.kind, np.asarray(values.reshape(shape)), np.asarray(known.reshape(shape)))


def value_for(memory: Memory, tile: Any) -> Lanes:
    """A value with the type of the array that it goes to."""
    return cast(tile, memory.kind) if isinstance(tile, Lanes) else literal(tile, memory.kind)


def store(memory: Memory, index: Any, tile: Any, *, order: Any = "C", steps: Shape | None = None, **hints: Any) -> None:
    """`ct.store`."""
    value = value_for(memory, tile)
    shape = value.shape or (1,) * memory.ndim
    places, inside = _places(memory, index, shape, _order(order, memory.ndim), steps)
    where = tuple(place[inside] for place in places)
    memory.v[where], memory.k[where] = value.v.reshape(shape)[inside], value.k.reshape(shape)[inside]


def _lanes(memory: Memory, indices: Any, mask: Any, check_bounds: bool) -> tuple[tuple[Array, ...], Array, Array]:
    """Places of single elements, which of them are inside and let through, and where that is not known."""
    given = indices if isinstance(indices, tuple) else (indices,)
    parts = [x if isinstance(x, Lanes) else made(I32, x) for x in given]
    shape = np.broadcast_shapes(*(part.shape for part in parts))
    inside, open_ = np.ones(shape, np.bool_), np.zeros(shape, np.bool_)
    if mask is not None:
        mask = mask if isinstance(mask, Lanes) else made(I32, mask)
        inside, open_ = inside & (mask.v != 0), open_ | ~mask.k
    for part, extent in zip(parts, memory.v.shape, strict=True):
        inside = inside & (part.v >= 0) & (part.v < extent)
        open_ = open_ | ~part.k
    places = tuple(np.where(inside, part.v, 0).astype(np.int64) for part in parts)
    return places, inside & ~open_, open_


def gather(
    memory: Memory, indices: Any, *, mask: Any = None, padding_value: Any = 0, check_bounds: bool = True,
    latency: Any = None,
) -> Lanes:  # fmt: skip
    """`ct.gather`; lanes outside are the padding value, and not known without a check of bounds."""
    places, inside, open_ = _lanes(memory, indices, mask, check_bounds)
    pad = stretched(value_for(memory, padding_value), inside.shape)
    known = np.where(inside, memory.k[places], pad.k & check_bounds & ~open_)
    return Lanes(memory.kind, np.asarray(np.where(inside, memory.v[places], pad.v)), np.asarray(known))


def scatter(
    memory: Memory, indices: Any, value: Any, *, mask: Any = None, check_bounds: bool = True, latency: Any = None
) -> None:
    """`ct.scatter`; an element that two lanes write is known if they agree."""
    places, inside, open_ = _lanes(memory, indices, mask, check_bounds)
    if open_.any():
        memory.k[...] = False
        return
    lanes = stretched(value_for(memory, value), inside.shape)
    where = tuple(np.broadcast_to(place, inside.shape)[inside] for place in places)
    memory.v[where], memory.k[where] = lanes.v[inside], lanes.k[inside]
    agrees = (memory.v[where] == lanes.v[inside]) | (lanes.v[inside] != lanes.v[inside])
    for row in np.argwhere(~(agrees & lanes.k[inside]))[:, 0]:
        memory.k[tuple(place[row] for place in where)] = False


ATOMIC = {
    "add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "xchg": lambda old, new: new,
}  # fmt: skip


def update_all(memory: Memory, name: str, places: tuple[Array, ...], inside: Array, update: Any) -> Lanes:
    """Change elements one lane after the other; what they held before. Order must not show to be known."""
    value = stretched(value_for(memory, update), inside.shape)
    old, known = np.zeros(inside.shape, memory.v.dtype), np.zeros(inside.shape, np.bool_)
    seen: set[tuple[int, ...]] = set()
    for lane in map(tuple, np.argwhere(inside)):
        at = tuple(int(np.broadcast_to(place, inside.shape)[lane]) for place in places)
        old[lane], known[lane] = memory.v[at], memory.k[at] and at not in seen
        twice = at in seen and (name == "xchg" or memory.kind.is_float)
        memory.v[at] = ATOMIC[name](memory.v[at], value.v[lane])
        memory.k[at] = (value.k[lane] if name == "xchg" else memory.k[at] and value.k[lane]) and not twice
        if memory.kind.is_float and name != "xchg":
            memory.k[at] = False
        seen.add(at)
    if len(seen) < int(inside.sum()):
        known[...] = False
    return Lanes(memory.kind, old, known)


def _anywhere(memory: Memory, shape: tuple[int, ...]) -> Lanes:
    """What an atomic operation gives where a lane may reach any element: nothing is known of it, nor of the array."""
    memory.k[...] = False
    return Lanes(memory.kind, np.zeros(shape, memory.v.dtype), np.zeros(shape, np.bool_))


def atomic(name: str, memory: Memory, indices: Any, update: Any, check_bounds: bool = True, **order: Any) -> Lanes:
    """`ct.atomic_add` and its kin."""
    places, inside, open_ = _lanes(memory, indices, None, check_bounds)
    if open_.any():
        return _anywhere(memory, inside.shape)
    return update_all(memory, name, places, inside, update)


def compare_and_swap(
    memory: Memory, indices: Any, expected: Any, desired: Any, check_bounds: bool = True, **order: Any
) -> Lanes:
    """`ct.atomic_cas`, known where each element is reached once."""
    places, inside, open_ = _lanes(memory, indices, None, check_bounds)
    if open_.any():
        return _anywhere(memory, inside.shape)
    wanted, new = (stretched(value_for(memory, x), inside.shape) for x in (expected, desired))
    where = tuple(np.broadcast_to(place, inside.shape)[inside] for place in places)
    old, known = np.zeros(inside.shape, memory.v.dtype), np.zeros(inside.shape, np.bool_)
    old[inside], known[inside] = memory.v[where], memory.k[where]
    flat = np.ravel_multi_index(where, memory.v.shape) if inside.any() else np.zeros(0, np.int64)
    alone = np.unique(flat).size == flat.size
    sure = known[inside] & wanted.k[inside] & new.k[inside] & alone
    memory.v[where] = np.where(old[inside] == wanted.v[inside], new.v[inside], old[inside])
    memory.k[where] = sure
    return Lanes(memory.kind, old, known & alone)


@dataclass(frozen=True, slots=True)
class Slice:
    """`ct.Slice`: so many elements from a start on."""

    start: Any
    length: int


def _axes(indices: tuple[Any, ...]) -> tuple[Lanes, ...]:
    """Advanced indices as indices of single elements: one axis of the tile each."""
    parts = []
    for axis, part in enumerate(indices):
        row = part if isinstance(part, Lanes) else made(I32, np.arange(part.length) + int(part.start))
        shape = [1] * len(indices)
        shape[axis] = -1
        parts.append(Lanes(row.kind, row.v.reshape(shape), row.k.reshape(shape)))
    return tuple(parts)


def load_rows(memory: Memory, indices: Any, *, padding_mode: Any = PaddingMode.UNDETERMINED, **hints: Any) -> Lanes:
    """`ct.load_advanced_indexing`."""
    pad = PADDING.get(padding_mode, 0.0)
    value = literal(pad if memory.kind.is_float else 0, memory.kind)
    parts = _axes(indices)
    found = gather(memory, parts, padding_value=value, check_bounds=padding_mode in PADDING)
    _, inside, _ = _lanes(memory, parts, None, True)
    return Lanes(found.kind, found.v, found.k & bool(inside.any()))


def store_rows(memory: Memory, indices: Any, tile: Any, **hints: Any) -> None:
    """`ct.store_advanced_indexing`."""
    scatter(memory, _axes(indices), tile)
