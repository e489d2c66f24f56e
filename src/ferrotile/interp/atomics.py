"""Steps for atomic operations. Lanes that reach one element take their turns in row-major order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.interp.access import active, load, store
from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.run import Run, Step
from ferrotile.interp.transfer import NO_MASK_PAD, masked, require_whole_bytes, synchronise, tile_lanes
from ferrotile.interp.value import Tile, worst
from ferrotile.interp.views import require_address
from ferrotile.ir.enums import AtomicRMWMode, RoundingMode
from ferrotile.ir.formats import Array
from ferrotile.ir.numeric import arithmetic
from ferrotile.ir.types import ScalarType, TileType

Update = Callable[[Array, Array], Array]
"""From what stands in memory and the operand to what will stand there."""


def _unsigned(function: Callable[..., Any]) -> Update:
    return lambda old, new: function(old.view(f"u{old.itemsize}"), new.view(f"u{new.itemsize}")).view(old.dtype)


def exchange(old: Array, new: Array) -> Array:
    """What is written does not hang on what was there."""
    return new


UPDATES: dict[AtomicRMWMode, Update] = {
    AtomicRMWMode.AND: np.bitwise_and,
    AtomicRMWMode.OR: np.bitwise_or,
    AtomicRMWMode.XOR: np.bitwise_xor,
    AtomicRMWMode.ADD: np.add,
    AtomicRMWMode.MAX: np.maximum,
    AtomicRMWMode.MIN: np.minimum,
    AtomicRMWMode.UMAX: _unsigned(np.maximum),
    AtomicRMWMode.UMIN: _unsigned(np.minimum),
    AtomicRMWMode.XCHG: exchange,
}
"""`ADDF` rounds to the type and is made by `update_of`."""


def update_of(mode: AtomicRMWMode, kind: str) -> Update:
    """What an atomic operation does with the old value."""
    if mode is AtomicRMWMode.ADDF:
        return lambda old, new: arithmetic("add", [old, new], kind, RoundingMode.NEAREST_EVEN)
    return UPDATES[mode]


def turns(addresses: Array) -> list[Array]:
    """Split lanes into rounds, so that no round has an address twice and lanes of one address keep their order."""
    order = np.argsort(addresses, kind="stable")
    ordered = addresses[order]
    if ordered.size < 2 or (ordered[1:] != ordered[:-1]).all():
        return [np.arange(addresses.size)]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    lengths = np.diff(np.concatenate((starts, [ordered.size])))
    rank = np.arange(ordered.size) - np.repeat(starts, lengths)
    return [order[rank == i] for i in range(int(lengths.max()))]


def apply(op: Operation, run: Run, addresses: Array, lanes: Array | None, new: Tile, update: Update) -> Tile:
    """Read, update and write each active lane; gives what stood in memory before."""
    synchronise(op, run, addresses, lanes, before=True)
    flat = addresses.reshape(-1)
    chosen = np.arange(flat.size) if lanes is None else lanes
    data = np.zeros(flat.size, new.data.dtype)
    origin = np.full(flat.size, run.log.origin(NO_MASK_PAD, op), np.int32)
    values = np.broadcast_to(new.data, addresses.shape).reshape(-1)
    poison = None if new.origin is None else np.broadcast_to(new.origin, addresses.shape).reshape(-1)
    for turn in turns(flat[chosen]):
        at = chosen[turn]
        seen = load(op, run, flat[at], None, values.dtype, 0, atomic=True)
        data[at] = seen.data
        origin[at] = 0 if seen.origin is None else seen.origin
        given = None if poison is None or not poison[at].any() else poison[at]
        spread = given if update is exchange else worst(seen.origin, given)
        store(op, run, flat[at], None, Tile(np.asarray(update(seen.data, values[at])), spread), atomic=True)
    synchronise(op, run, addresses, lanes, before=False)
    return Tile(data.reshape(addresses.shape), origin.reshape(addresses.shape) if origin.any() else None)


def read_modify_write(plan: Plan, op: Operation) -> Step:
    """`atomic_rmw_tko`."""
    pointers, arg, mask = plan.need(op, "pointers"), plan.need(op, "arg"), plan.one(op, "mask")
    out, token = plan.results(op)
    element = cast(ScalarType, cast(TileType, op.results[0].type).element)
    update = update_of(ir.attribute(op, "mode"), element.name)
    require_whole_bytes(element, op)

    def step(env: list[Any], run: Run) -> None:
        addresses = env[pointers].data
        lanes = active(addresses.shape, masked(env, mask, op, run))
        _require_used(env[pointers], lanes, op, run)
        env[out], env[token] = apply(op, run, addresses, lanes, env[arg], update), None

    return step


def _require_used(pointers: Tile, lanes: Array | None, op: Operation, run: Run) -> None:
    if pointers.origin is not None:
        used = pointers.origin.reshape(-1)
        require_address(Tile(pointers.data, used if lanes is None else used[lanes]), "an address", op, run)


def compare_and_swap(plan: Plan, op: Operation) -> Step:
    """`atomic_cas_tko`: bits are compared, not numbers."""
    pointers, old, new = (plan.need(op, name) for name in ("pointers", "cmp", "val"))
    mask, (out, token) = plan.one(op, "mask"), plan.results(op)

    def step(env: list[Any], run: Run) -> None:
        addresses = env[pointers].data
        lanes = active(addresses.shape, masked(env, mask, op, run))
        _require_used(env[pointers], lanes, op, run)
        for slot in (old, new):
            if env[slot].origin is not None:
                used = env[slot].origin.reshape(-1)
                what = "what is compared or stored"
                run.log.poison("poison-store", what, used if lanes is None else used[lanes], op, run.block)
        both = np.stack((env[old].data.reshape(-1), env[new].data.reshape(-1)), axis=1)
        pairs = np.ascontiguousarray(both).view([("cmp", both.dtype), ("val", both.dtype)])[:, 0]
        env[out], env[token] = _swap(op, run, addresses, lanes, pairs), None

    return step


def _swap(op: Operation, run: Run, addresses: Array, lanes: Array | None, pairs: Array) -> Tile:
    """Lane by lane in turns, as `apply`; each lane brings what it expects and what it writes."""
    synchronise(op, run, addresses, lanes, before=True)
    flat = addresses.reshape(-1)
    chosen = np.arange(flat.size) if lanes is None else lanes
    dtype = pairs["cmp"].dtype
    data, origin = np.zeros(flat.size, dtype), np.full(flat.size, run.log.origin(NO_MASK_PAD, op), np.int32)
    for turn in turns(flat[chosen]):
        at = chosen[turn]
        seen = load(op, run, flat[at], None, dtype, 0, atomic=True)
        data[at], origin[at] = seen.data, 0 if seen.origin is None else seen.origin
        bits = f"u{dtype.itemsize}"
        expected = np.ascontiguousarray(pairs["cmp"][at])
        equal = np.ascontiguousarray(seen.data).view(bits) == expected.view(bits)
        kept = np.where(equal, pairs["val"][at], seen.data)
        store(op, run, flat[at], None, Tile(kept, seen.origin), atomic=True)
    synchronise(op, run, addresses, lanes, before=False)
    return Tile(data.reshape(addresses.shape), origin.reshape(addresses.shape) if origin.any() else None)


def reduce_view(plan: Plan, op: Operation) -> Step:
    """`atomic_red_view_tko`."""
    find, value, (token,) = tile_lanes(plan, op), plan.need(op, "value"), plan.results(op)
    element = cast(ScalarType, cast(TileType, ir.operands(op, "value")[0].type).element)
    update = update_of(ir.attribute(op, "mode"), element.name)

    def step(env: list[Any], run: Run) -> None:
        found, lanes = find(env, run)
        apply(op, run, found.addresses, lanes, env[value], update)
        env[token] = None

    return step


BUILDERS: dict[str, Builder] = {
    "atomic_rmw_tko": read_modify_write,
    "atomic_cas_tko": compare_and_swap,
    "atomic_red_view_tko": reduce_view,
}
