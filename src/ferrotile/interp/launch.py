"""Run a kernel on a grid of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.core import InputError
from ferrotile.core.parameters import Role
from ferrotile.interp import atomics, claims, control, fold, pure, transfer, views
from ferrotile.interp.arguments import Argument, entry_values, place_all, roles_of
from ferrotile.interp.finding import Block, Finding, Log
from ferrotile.interp.memory import Memory
from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.races import Access, Races
from ferrotile.interp.run import Run, Step, Watcher, run_steps
from ferrotile.interp.value import Tile
from ferrotile.ir.attributes import AttributeValue
from ferrotile.ir.formats import Array, storage
from ferrotile.ir.rearrange import constant
from ferrotile.ir.types import TileType


@dataclass(frozen=True, eq=False)
class Result:
    """What a launch left: arrays in the order of the array arguments, what was found wrong, what was printed.

    `undetermined[k]` tells which elements of array `k` have no defined value. `accesses` has every read and write in
    the order in which they happened, if the options ask for it. `listed` are the arrays that lists of arrays hold,
    each with its undetermined elements.
    """

    arrays: tuple[Array, ...]
    undetermined: tuple[Array, ...]
    findings: tuple[Finding, ...]
    prints: tuple[str, ...]
    blocks: tuple[Block, ...]
    accesses: tuple[Access, ...] = ()
    listed: tuple[tuple[Array, Array], ...] = ()

    def found(self, kind: str) -> tuple[Finding, ...]:
        """The findings of a kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)


@dataclass(frozen=True)
class Options:
    """How to run. `fold_order`: see `fold`; `block_limit`: run only so many blocks of the order; `record`: keep every
    read and write; `watch`: called with the results of every operation, once they are there.
    """

    fold_order: str = "pairs"
    round_limit: int = 10_000_000
    block_limit: int | None = None
    races: bool = True
    record: bool = False
    watch: Watcher | None = field(default=None, compare=False)


def block_id(plan: Plan, op: Operation) -> Step:
    """`get_tile_block_id` and `get_num_tile_blocks`."""
    out, is_id = plan.results(op), ir.row(op).name == "get_tile_block_id"

    def step(env: list[Any], run: Run) -> None:
        for slot, number in zip(out, run.block if is_id else run.grid, strict=True):
            env[slot] = Tile(np.asarray(number, np.int32))

    return step


def global_address(plan: Plan, op: Operation) -> Step:
    """`get_global`."""
    (out,), name = plan.results(op), ir.attribute(op, "name")

    def step(env: list[Any], run: Run) -> None:
        env[out] = Tile(np.asarray(run.globals[name], np.int64))

    return step


BUILDERS: dict[str, Builder] = {
    **control.BUILDERS,
    **fold.BUILDERS,
    **views.BUILDERS,
    **transfer.BUILDERS,
    **atomics.BUILDERS,
    **claims.BUILDERS,
    "get_tile_block_id": block_id,
    "get_num_tile_blocks": block_id,
    "get_global": global_address,
}
"""The steps of operations that a row leaves to the interpreter."""


def interpret(
    module: ir.Module,
    arguments: Sequence[Argument],
    grid: Sequence[int],
    *,
    roles: Sequence[Role] | None = None,
    entry: str | None = None,
    seed: int = 0,
    options: Options | None = None,
) -> Result:
    """Run a kernel on NumPy arrays, which are copied: the result has its own.

    `arguments` are the arrays and numbers of the Python call without its constants; `roles` say which entry parameter
    carries which part of them (left out: as cuTile Python lays them out). A `seed` other than 0 shuffles the blocks.
    Raises: FT250 (no meaning), FT251 (arguments), FT252 (does not end).
    Example:
        result = interpret(module, [x, output(x.shape, x.dtype)], (4,))
    """
    options = options or Options()
    run = _start(module, grid, options)
    placed, scalars, listed = place_all(run.memory, run.log, arguments)
    kernel = entry_named(module, entry)
    values = entry_values(kernel, roles or roles_of(arguments), placed, scalars)
    blocks = block_order(run.grid, seed)[: options.block_limit]
    with np.errstate(all="ignore"):
        run_blocks(kernel, values, run, blocks)
    return Result(
        tuple(item.result() for item in placed),
        tuple(item.undetermined() for item in placed),
        run.log.findings(),
        tuple(run.prints),
        tuple(blocks),
        tuple(run.races.accesses),
        tuple((item.result(), item.undetermined()) for item in listed),
    )


def _start(module: ir.Module, grid: Sequence[int], options: Options) -> Run:
    full = cast(Block, (*grid, 1, 1)[:3])
    if len(grid) > 3 or any(extent < 1 for extent in full):
        raise InputError("FT251", f"`{tuple(grid)}` is no grid of one to three positive extents")
    log, memory = Log(), Memory()
    races = Races(log, enabled=options.races and full != (1, 1, 1), record=options.record)
    run = Run(memory, log, races, full, options.fold_order, options.round_limit, options.watch)
    for op in module.globals:
        kind = cast(TileType, cast(AttributeValue, op.attributes["type"]).data)
        values = np.array(constant(kind, ir.attribute(op, "value")))
        size = storage(kind.element).itemsize
        name = ir.attribute(op, "sym_name")
        raw = values.reshape(-1).view(np.uint8)
        run.globals[name] = memory.place(name, raw, size, max(ir.attribute(op, "alignment"), 256)).base
    return run


def entry_named(module: ir.Module, name: str | None) -> Operation:
    """The kernel with a name, or the only one. Raises: FT251."""
    found = [op for op in module.entries if name in (None, ir.attribute(op, "sym_name"))]
    if len(found) != 1:
        names = ", ".join(f"`{ir.attribute(op, 'sym_name')}`" for op in module.entries)
        raise InputError("FT251", f"the module has the kernels {names}; name one of them")
    return found[0]


def block_order(grid: Block, seed: int) -> list[Block]:
    """All blocks: x runs fastest, or in an order that the seed gives."""
    x, y, z = grid
    blocks = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    if seed:
        np.random.default_rng(seed).shuffle(blocks)
    return [cast(Block, tuple(map(int, block))) for block in blocks]


def run_blocks(entry: Operation, values: list[Tile], run: Run, blocks: list[Block]) -> None:
    """Plan the kernel once, and run it for each block."""
    plan = Plan(BUILDERS, pure.build, is_watched=run.watch is not None)
    parameters = plan.arguments(entry.regions[0])
    steps = plan.steps(entry.regions[0])
    for number, block in enumerate(blocks):
        env: list[Any] = [None] * plan.size
        control.put(env, parameters, values)
        run.block, run.rounds = block, 0
        run.races.start(number, block)
        run_steps(steps, env, run)
