"""Steps for operations without memory and regions: ask the row for the value, then see what became of poison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.interp.plan import Plan
from ferrotile.interp.run import Run, Step
from ferrotile.interp.value import Tile, clean, worst
from ferrotile.ir.formats import Array
from ferrotile.ir.meaning import Call, Meaning, Spread
from ferrotile.ir.spec import Arity

Slots = dict[str, "int | tuple[int, ...]"]


def build(plan: Plan, op: Operation) -> Step:
    """The step of an operation whose row has a `Meaning`."""
    meaning = cast(Meaning, ir.row(op).evaluate)
    call, slots = prepare(plan, op)
    out = plan.slot(op.results[0])
    if not slots:
        return _constant(meaning, call, out)
    single = [(key, slot) for key, slot in slots.items() if isinstance(slot, int)]
    many = [(key, slot) for key, slot in slots.items() if isinstance(slot, tuple)]
    spread = _SPREADS[meaning.spread]
    function, values = meaning.function, call.__dict__

    def step(env: list[Any], run: Run) -> None:
        is_clean = True
        for key, slot in single:
            tile = env[slot]
            values[key] = tile.data
            is_clean = is_clean and tile.origin is None
        for key, group in many:
            values[key] = tuple(env[slot].data for slot in group)
            is_clean = is_clean and all(env[slot].origin is None for slot in group)
        call.faulty = None
        data = np.asarray(function(call))
        origin = None if is_clean and call.faulty is None else _poison(spread, call, meaning, slots, env, run, op, data)
        env[out] = Tile(data, origin)

    return step


def prepare(plan: Plan, op: Operation) -> tuple[Call, Slots]:
    """The call of an operation, and the numbers of its operands; a Python keyword gets an underscore."""
    row = ir.row(op)
    attributes = {item.name: ir.attribute(op, item.name) for item in row.attributes}
    slots: Slots = {}
    types: dict[str, Any] = {}
    for slot in row.operands:
        key = "from_" if slot.name == "from" else slot.name
        slots[key] = plan.many(op, slot.name) if slot.arity is Arity.MANY else plan.need(op, slot.name)
        values = ir.operands(op, slot.name)
        types[slot.name] = values[0].type if values else None
    return Call(attributes, types, op.results[0].type), slots


def _constant(meaning: Meaning, call: Call, out: int) -> Step:
    value = Tile(np.asarray(meaning.function(call)))

    def step(env: list[Any], run: Run) -> None:
        env[out] = value

    return step


def _poison(
    spread: Callable[..., Array | None],
    call: Call,
    meaning: Meaning,
    slots: Slots,
    env: list[Any],
    run: Run,
    op: Operation,
    data: Array,
) -> Array | None:
    """The poison of a result: that of the operands, and that of elements for which no value is defined."""
    faulty = call.faulty
    tiles = {key: env[slot] for key, slot in slots.items() if isinstance(slot, int)}
    origin = spread(call, meaning, tiles)
    for slot in slots.values():
        if isinstance(slot, tuple):
            origin = worst(origin, *(None if env[one].origin is None else env[one].origin.max() for one in slot))
    if faulty is not None and np.any(faulty):
        number = run.log.origin(f"`{op.name}` defines no value for its operands", op)
        # What an operand brought with it came first.
        is_new = np.asarray(faulty) if origin is None else np.asarray(faulty) & (np.asarray(origin) == 0)
        origin = worst(origin, np.asarray(np.where(is_new, number, 0), np.int32))
    if origin is None or not np.any(origin):
        return None
    return np.broadcast_to(np.asarray(origin, np.int32), data.shape)


def _lanes(call: Call, meaning: Meaning, tiles: dict[str, Tile]) -> Array | None:
    return worst(*(tile.origin for tile in tiles.values()))


def _as_origin(tile: Tile) -> Array:
    return np.zeros(tile.data.shape, np.int32) if tile.origin is None else tile.origin


def _moves(call: Call, meaning: Meaning, tiles: dict[str, Tile]) -> Array | None:
    for key, tile in tiles.items():
        call.__dict__[key] = _as_origin(tile)
    return clean(np.asarray(meaning.function(call)))


def _choice(call: Call, meaning: Meaning, tiles: dict[str, Tile]) -> Array | None:
    picked = np.where(call.cond, _as_origin(tiles["val_if_true"]), _as_origin(tiles["val_if_false"]))
    return clean(worst(picked, tiles["cond"].origin) if tiles["cond"].origin is not None else picked)


def _absorb(call: Call, meaning: Meaning, tiles: dict[str, Tile]) -> Array | None:
    """`x & 0` and `x | ~0` do not depend on x."""
    lhs, rhs = tiles["lhs"], tiles["rhs"]
    found = worst(_as_origin(lhs), rhs.origin)
    assert found is not None
    one = np.asarray(True) if lhs.data.dtype == np.bool_ else np.asarray(-1, lhs.data.dtype)
    decides = meaning.function(_pair(one, np.zeros_like(one)))
    for tile in (lhs, rhs):
        settled = (tile.data == decides) & (_as_origin(tile) == 0)
        found = np.where(settled, 0, found)
    return clean(found)


def _pair(lhs: Array, rhs: Array) -> Any:
    call = Call({}, {}, None)
    call.__dict__.update(lhs=lhs, rhs=rhs)
    return call


def _product(call: Call, meaning: Meaning, tiles: dict[str, Tile]) -> Array | None:
    lhs, rhs = tiles["lhs"].origin, tiles["rhs"].origin
    rows = None if lhs is None else lhs.max(axis=-1, keepdims=True)
    columns = None if rhs is None else rhs.max(axis=-2, keepdims=True)
    return worst(rows, columns, tiles["acc"].origin)


def _whole(call: Call, meaning: Meaning, tiles: dict[str, Tile]) -> Array | None:
    return worst(*(None if tile.origin is None else tile.origin.max() for tile in tiles.values()))


_SPREADS: dict[Spread, Callable[[Call, Meaning, dict[str, Tile]], Array | None]] = {
    Spread.LANES: _lanes,
    Spread.MOVES: _moves,
    Spread.CHOICE: _choice,
    Spread.ABSORB: _absorb,
    Spread.PRODUCT: _product,
    Spread.WHOLE: _whole,
}
