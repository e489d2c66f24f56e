"""Steps for loads and stores, by pointers and by views, and for tokens."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.core import Unsupported
from ferrotile.interp.access import active, load, store
from ferrotile.interp.memory import Part
from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.run import Run, Step
from ferrotile.interp.value import Tile
from ferrotile.interp.views import Lanes, locate, require_address
from ferrotile.ir.enums import MemoryOrderingSemantics, PaddingValue
from ferrotile.ir.formats import Array, storage
from ferrotile.ir.types import PointerType, ScalarType, TileType

ORDERING = MemoryOrderingSemantics
PADDING = {
    PaddingValue.Zero: 0.0, PaddingValue.NegZero: -0.0, PaddingValue.Nan: np.nan,
    PaddingValue.PosInf: np.inf, PaddingValue.NegInf: -np.inf,
}  # fmt: skip
NO_PAD = "lanes outside the array have no padding"
NO_MASK_PAD = "masked lanes have no padding value"


def require_whole_bytes(element: ScalarType | PointerType, op: Operation) -> Any:
    """The NumPy type of elements in memory. Raises: FT250 for elements smaller than a byte, but i1."""
    if isinstance(element, ScalarType) and element.bits < 8 and element.name != "i1":
        raise Unsupported("FT250", f"elements of type `{element.name}` in memory", at=ir.place(op))
    return storage(element)


def ordering(op: Operation) -> tuple[bool, bool]:
    """Whether an access acquires, and whether it releases."""
    value = ir.attribute(op, "memory_ordering_semantics")
    both = value is ORDERING.ACQ_REL
    return both or value is ORDERING.ACQUIRE, both or value is ORDERING.RELEASE


def synchronise(op: Operation, run: Run, addresses: Array, lanes: Array | None, *, before: bool) -> None:
    """Acquire before an access, or release after it."""
    acquires, releases = ordering(op)
    if not (acquires if before else releases):
        return
    flat = addresses.reshape(-1)
    parts: list[Part] = list(run.memory.parts(flat if lanes is None else flat[lanes], 1))
    for part in parts:
        (run.races.acquire if before else run.races.release)(part.allocation)


def masked(env: list[Any], mask: int | None, op: Operation, run: Run) -> Array | None:
    """The mask operand; that it is undetermined is a finding."""
    if mask is None:
        return None
    require_address(env[mask], "the mask", op, run)
    return env[mask].data


def load_pointers(plan: Plan, op: Operation) -> Step:
    """`load_ptr_tko`."""
    source, mask, pad = plan.need(op, "source"), plan.one(op, "mask"), plan.one(op, "paddingValue")
    out, token = plan.results(op)
    dtype = require_whole_bytes(cast(TileType, op.results[0].type).element, op)

    def step(env: list[Any], run: Run) -> None:
        addresses = env[source].data
        lanes = active(addresses.shape, masked(env, mask, op, run))
        _require_pointers(env[source], lanes, op, run)
        synchronise(op, run, addresses, lanes, before=True)
        rest = run.log.origin(NO_MASK_PAD, op) if pad is None else env[pad]
        env[out], env[token] = load(op, run, addresses, lanes, dtype, rest), None

    return step


def _require_pointers(tile: Tile, lanes: Array | None, op: Operation, run: Run) -> None:
    """That an address that is used is undetermined is a finding."""
    if tile.origin is not None:
        used = tile.origin if lanes is None else tile.origin.reshape(-1)[lanes]
        run.log.poison("poison-address", "an address", used, op, run.block)


def store_pointers(plan: Plan, op: Operation) -> Step:
    """`store_ptr_tko`."""
    target, value, mask = plan.need(op, "destination"), plan.need(op, "value"), plan.one(op, "mask")
    (token,) = plan.results(op)
    require_whole_bytes(cast(TileType, ir.operands(op, "value")[0].type).element, op)

    def step(env: list[Any], run: Run) -> None:
        addresses = env[target].data
        lanes = active(addresses.shape, masked(env, mask, op, run))
        _require_pointers(env[target], lanes, op, run)
        store(op, run, addresses, lanes, env[value])
        synchronise(op, run, addresses, lanes, before=False)
        env[token] = None

    return step


def tile_lanes(plan: Plan, op: Operation) -> Any:
    """A function that finds the elements of the tile that a view operation reaches, and the active lanes."""
    view, indices = plan.need(op, "view"), plan.many(op, "index")
    names = [cast(Any, value.type).element.name for value in ir.operands(op, "index")]
    promises = ir.attribute(op, "inbounds") or ()

    def find(env: list[Any], run: Run) -> tuple[Lanes, Array | None]:
        found = locate(env[view], [env[slot] for slot in indices], names, op, run)
        if found.inside is not None and promises and all(promises):
            run.log.add("assume", f"`{op.name}` promises to stay inside the array and does not", op, run.block)
        return found, active(found.addresses.shape, found.inside)

    return find


def load_view(plan: Plan, op: Operation) -> Step:
    """`load_view_tko`."""
    find, (out, token) = tile_lanes(plan, op), plan.results(op)
    kind = cast(TileType, op.results[0].type)
    dtype = require_whole_bytes(kind.element, op)
    padding = cast(Any, ir.operands(op, "view")[0].type).padding
    pad = None if padding is None else Tile(np.asarray(PADDING[padding]).astype(dtype))

    def step(env: list[Any], run: Run) -> None:
        found, lanes = find(env, run)
        synchronise(op, run, found.addresses, lanes, before=True)
        rest = run.log.origin(NO_PAD, op) if pad is None else pad
        env[out], env[token] = load(op, run, found.addresses, lanes, dtype, rest), None

    return step


def store_view(plan: Plan, op: Operation) -> Step:
    """`store_view_tko`; lanes outside the array are not written."""
    find, value, (token,) = tile_lanes(plan, op), plan.need(op, "tile"), plan.results(op)
    require_whole_bytes(cast(TileType, ir.operands(op, "tile")[0].type).element, op)

    def step(env: list[Any], run: Run) -> None:
        found, lanes = find(env, run)
        store(op, run, found.addresses, lanes, env[value])
        synchronise(op, run, found.addresses, lanes, before=False)
        env[token] = None

    return step


def order(plan: Plan, op: Operation) -> Step:
    """Operations that only make tokens: program order is kept anyway."""
    out = plan.results(op)

    def step(env: list[Any], run: Run) -> None:
        for slot in out:
            env[slot] = None

    return step


def allocate(plan: Plan, op: Operation) -> Step:
    """`alloca`: memory of the block, that nothing has written; the same each time."""
    (out,) = plan.results(op)
    element = cast(PointerType, cast(TileType, op.results[0].type).element).pointee
    size = max(element.bits // 8, 1)
    count, alignment = ir.attribute(op, "num_elem"), ir.attribute(op, "alignment")

    def step(env: list[Any], run: Run) -> None:
        key = (run.block, id(op))
        if key not in run.local:
            made = run.memory.place("alloca", np.zeros(count * size, np.uint8), size, max(alignment, 256))
            number = run.log.origin("nothing has written it", op, reads_memory=True)
            made.undetermined = np.full(count, number, np.int32)
            run.local[key] = made.base
        env[out] = Tile(np.asarray(run.local[key], np.int64))

    return step


BUILDERS: dict[str, Builder] = {
    "load_ptr_tko": load_pointers,
    "store_ptr_tko": store_pointers,
    "load_view_tko": load_view,
    "store_view_tko": store_view,
    "alloca": allocate,
    **dict.fromkeys(
        ("make_token", "join_tokens", "memory_fence_alias_tko", "gdc_wait_tko", "gdc_launch_dependents_tko"), order
    ),
}
