"""Steps for loops, branches, and what ends a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.run import Run, Signal, Step, run_steps
from ferrotile.interp.value import Tile
from ferrotile.ir.formats import STORAGE
from ferrotile.ir.integers import unsigned
from ferrotile.ir.types import ScalarType, TileType


def end(plan: Plan, op: Operation) -> Step:
    """`yield`, `continue`, `break`, `return`."""
    kind, slots = ir.row(op).name, plan.many(op, "operands")

    def step(env: list[Any], run: Run) -> Signal:
        return kind, [env[slot] for slot in slots]

    return step


def decide(tile: Tile, what: str, op: Operation, run: Run) -> Any:
    """The number that control flow depends on; that it is undetermined is a finding."""
    if tile.origin is not None:
        run.log.poison("poison-branch", what, tile.origin, op, run.block)
    return tile.data.item()


def branch(plan: Plan, op: Operation) -> Step:
    """`if`: the results are what the branch taken yields; any other end is passed on."""
    condition, out = plan.need(op, "condition"), plan.results(op)
    sides = [plan.steps(region) for region in op.regions]

    def step(env: list[Any], run: Run) -> Signal | None:
        taken = sides[0 if decide(env[condition], "the condition", op, run) else 1]
        signal = run_steps(taken, env, run)
        if signal is not None and signal[0] != "yield":
            return signal
        put(env, out, signal[1] if signal else ())
        return None

    return step


def put(env: list[Any], slots: Sequence[int], values: Sequence[Any]) -> None:
    """Give numbered values."""
    for slot, value in zip(slots, values, strict=True):
        env[slot] = value


def counted(plan: Plan, op: Operation) -> Step:
    """`for`: the bounds are read once; `unsignedCmp` compares them as unsigned."""
    bounds = [plan.need(op, name) for name in ("lowerBound", "upperBound", "step")]
    carried, out = plan.many(op, "initValues"), plan.results(op)
    index, *inside = plan.arguments(op.regions[0])
    body = plan.steps(op.regions[0])
    kind = cast(ScalarType, cast(TileType, op.regions[0].block.args[0].type).element)
    is_unsigned = ir.attribute(op, "unsignedCmp")

    def step(env: list[Any], run: Run) -> Signal | None:
        values = [env[slot] for slot in carried]
        tiles = [env[slot] for slot in bounds]
        low, high, stride = (decide(tile, "a bound of the loop", op, run) for tile in tiles)
        if is_unsigned:
            low, high = (int(unsigned(tile.data, kind.name)) for tile in tiles[:2])
        if stride <= 0:
            run.log.add("assume", f"`{op.name}` has the step {stride}, which must be positive", op, run.block)
            high = low
        for number in range(low, high, max(stride, 1)):
            run.count_round()
            env[index] = Tile(np.asarray(number).astype(STORAGE[kind.name]))
            put(env, inside, values)
            signal = run_steps(body, env, run)
            if signal is None or signal[0] == "return":
                return signal
            values = signal[1]
        put(env, out, values)
        return None

    return step


def endless(plan: Plan, op: Operation) -> Step:
    """`loop`: until something breaks out of it."""
    carried, out = plan.many(op, "initValues"), plan.results(op)
    inside, body = plan.arguments(op.regions[0]), plan.steps(op.regions[0])

    def step(env: list[Any], run: Run) -> Signal | None:
        values = [env[slot] for slot in carried]
        while True:
            run.count_round()
            put(env, inside, values)
            signal = run_steps(body, env, run)
            if signal is None or signal[0] == "return":
                return signal
            values = signal[1]
            if signal[0] == "break":
                put(env, out, values)
                return None

    return step


BUILDERS: dict[str, Builder] = {
    "if": branch,
    "for": counted,
    "loop": endless,
    "yield": end,
    "continue": end,
    "break": end,
    "return": end,
}
