"""Steps for `reduce` and `scan`. The order is stated, since the specification leaves it open.

`pairs` (the default): neighbours are combined, then neighbours of the results, and so on; a scan combines each element
with the one 1, 2, 4, ... before it. `sequence`: from the first element to the last. In both the first element is
combined with the identity, so that a wrong identity shows. The body runs on whole tiles at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.interp.control import put
from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.pure import prepare
from ferrotile.interp.run import Run, Step, run_steps
from ferrotile.interp.value import Tile, clean
from ferrotile.ir.attributes import FloatAttr, IntAttr
from ferrotile.ir.formats import STORAGE, Array
from ferrotile.ir.integers import wrap

Tiles = list[Tile]
Combine = Callable[[Tiles, Tiles], Tiles]
"""Called with the later and the earlier elements, as the body's arguments are ordered."""


def build(plan: Plan, op: Operation) -> Step:
    """`reduce` or `scan`."""
    sources, out = plan.many(op, "operands"), plan.results(op)
    inside, body = plan.arguments(op.regions[0]), plan.steps(op.regions[0])
    dim, is_scan = ir.attribute(op, "dim"), ir.row(op).name == "scan"
    backwards = is_scan and ir.attribute(op, "reverse")
    identities = [identity(value) for value in ir.attribute(op, "identities")]
    quick = None if plan.is_watched else _one_operation(plan, op)

    def step(env: list[Any], run: Run) -> None:
        def combine(later: Tiles, earlier: Tiles) -> Tiles:
            if quick is not None and later[0].origin is None and earlier[0].origin is None:
                found = quick(later[0].data, earlier[0].data)
                if found is not None:
                    return [Tile(found)]
            put(env, inside, [tile for pair in zip(later, earlier, strict=True) for tile in pair])
            signal = run_steps(body, env, run)
            assert signal is not None
            shapes = [tile.data.shape for tile in later]
            return [_stretched(tile, shape) for tile, shape in zip(cast(Tiles, signal[1]), shapes, strict=True)]

        tiles = [_turned(env[slot], dim, backwards) for slot in sources]
        starts = [Tile(np.broadcast_to(one, t.data[:1].shape)) for one, t in zip(identities, tiles, strict=True)]
        first = combine([_piece(tile, slice(0, 1)) for tile in tiles], starts)
        if is_scan:
            found = (_scan_sequence if run.order == "sequence" else _scan_pairs)(tiles, first, combine)
            put(env, out, [_turned_back(tile, dim, backwards) for tile in found])
        else:
            found = (_reduce_sequence if run.order == "sequence" else _reduce_pairs)(tiles, first, combine)
            put(env, out, [_piece(tile, 0) for tile in found])

    return step


def _one_operation(plan: Plan, op: Operation) -> Callable[[Array, Array], Array | None] | None:
    """The body of a fold that is one operation on its two arguments, as nearly all are, without the way through steps.

    It gives `None` where the operation defines no value, which the body itself then says.
    """
    first, *others = op.regions[0].block.ops
    meaning = ir.row(first).evaluate
    arguments, given = tuple(op.regions[0].block.args), tuple(first.operands)
    if not isinstance(meaning, ir.Meaning) or meaning.spread is not ir.Spread.LANES:
        return None
    if len(arguments) != 2 or len(given) != 2 or set(given) != set(arguments):
        return None
    if len(others) != 1 or tuple(others[0].operands) != tuple(first.results):
        return None
    call, slots = prepare(plan, first)
    (left, right), function = slots, meaning.function
    is_swapped = slots[left] != plan.slot(arguments[0])

    def combine(later: Array, earlier: Array) -> Array | None:
        call.faulty = None
        values = {left: earlier, right: later} if is_swapped else {left: later, right: earlier}
        call.__dict__.update(values)
        found = np.asarray(function(call))
        return found if call.faulty is None and found.shape == later.shape else None

    return combine


def identity(value: FloatAttr | IntAttr) -> Any:
    """The number of an identity."""
    name: str = value.type.name
    if isinstance(value, IntAttr):
        return wrap(np.asarray(value.value), name)
    size = STORAGE[name].itemsize
    return np.frombuffer((value.bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"), STORAGE[name])[0]


def _piece(tile: Tile, where: Any) -> Tile:
    origin = None if tile.origin is None else clean(np.asarray(tile.origin[where]))
    return Tile(np.asarray(tile.data[where]), origin)


def _stretched(tile: Tile, shape: tuple[int, ...]) -> Tile:
    if tile.data.shape == shape:
        return tile
    return Tile(np.broadcast_to(tile.data, shape), None if tile.origin is None else np.broadcast_to(tile.origin, shape))


def _each(tile: Tile, function: Callable[[Any], Any]) -> Tile:
    return Tile(function(tile.data), None if tile.origin is None else function(tile.origin))


def _turned(tile: Tile, dim: int, backwards: bool) -> Tile:
    """The axis to fold in front, and first what is combined first."""
    return _each(tile, lambda x: np.moveaxis(x, dim, 0)[:: -1 if backwards else 1])


def _turned_back(tile: Tile, dim: int, backwards: bool) -> Tile:
    return _each(tile, lambda x: np.moveaxis(x[:: -1 if backwards else 1], 0, dim))


def _joined(first: Tile, rest: Tile) -> Tile:
    data = np.concatenate((first.data, rest.data))
    if first.origin is None and rest.origin is None:
        return Tile(data)
    return Tile(
        data,
        np.concatenate([np.zeros(t.data.shape, np.int32) if t.origin is None else t.origin for t in (first, rest)]),
    )


def _reduce_pairs(tiles: Tiles, first: Tiles, combine: Combine) -> Tiles:
    tiles = [_joined(one, _piece(tile, slice(1, None))) for one, tile in zip(first, tiles, strict=True)]
    while (count := tiles[0].data.shape[0]) > 1:
        even = count - count % 2
        found = combine(
            [_piece(tile, slice(1, even, 2)) for tile in tiles], [_piece(tile, slice(0, even, 2)) for tile in tiles]
        )
        left_over = [_piece(tile, slice(even, None)) for tile in tiles]
        tiles = [_joined(a, b) for a, b in zip(found, left_over, strict=True)] if count % 2 else found
    return tiles


def _reduce_sequence(tiles: Tiles, first: Tiles, combine: Combine) -> Tiles:
    total = first
    for i in range(1, tiles[0].data.shape[0]):
        total = combine([_piece(tile, slice(i, i + 1)) for tile in tiles], total)
    return total


def _scan_pairs(tiles: Tiles, first: Tiles, combine: Combine) -> Tiles:
    tiles = [_joined(one, _piece(tile, slice(1, None))) for one, tile in zip(first, tiles, strict=True)]
    count, distance = tiles[0].data.shape[0], 1
    while distance < count:
        later = [_piece(tile, slice(distance, None)) for tile in tiles]
        earlier = [_piece(tile, slice(0, count - distance)) for tile in tiles]
        start = [_piece(tile, slice(0, distance)) for tile in tiles]
        tiles = [_joined(a, b) for a, b in zip(start, combine(later, earlier), strict=True)]
        distance *= 2
    return tiles


def _scan_sequence(tiles: Tiles, first: Tiles, combine: Combine) -> Tiles:
    done, total = first, first
    for i in range(1, tiles[0].data.shape[0]):
        total = combine([_piece(tile, slice(i, i + 1)) for tile in tiles], total)
        done = [_joined(a, b) for a, b in zip(done, total, strict=True)]
    return done


BUILDERS: dict[str, Builder] = {"reduce": build, "scan": build}
