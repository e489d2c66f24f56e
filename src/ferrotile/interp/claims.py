"""Steps for `assert`, `assume` and `print_tko`: what a kernel says about its values."""

from __future__ import annotations

import re
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.interp.plan import Builder, Plan
from ferrotile.interp.run import Run, Step
from ferrotile.interp.value import TensorView, Tile
from ferrotile.ir.attributes import Bounded, DivBy, SameElements
from ferrotile.ir.formats import FORMATS, Array, widen
from ferrotile.ir.types import ScalarType, TileType


def require(plan: Plan, op: Operation) -> Step:
    """`assert`: every element must hold."""
    condition, message = plan.need(op, "condition"), ir.attribute(op, "message")

    def step(env: list[Any], run: Run) -> None:
        tile = env[condition]
        if tile.origin is not None:
            run.log.poison("poison-branch", "an asserted condition", tile.origin, op, run.block)
        if not tile.data.all():
            failed = int(tile.data.size - np.count_nonzero(tile.data))
            run.log.add("assert", f"`{message}` does not hold", op, run.block, count=failed)

    return step


def assume(plan: Plan, op: Operation) -> Step:
    """`assume`: the value is passed on; that the predicate does not hold is a finding."""
    value, out = plan.need(op, "value"), plan.slot(op.results[0])
    predicate = ir.attribute(op, "predicate")

    def step(env: list[Any], run: Run) -> None:
        env[out] = given = env[value]
        data = np.asarray(given.address) if isinstance(given, TensorView) else cast(Tile, given).data
        bad = broken(predicate, data)
        if isinstance(given, Tile) and given.origin is not None:
            bad = bad & (given.origin == 0)
        if np.any(bad):
            first = int(np.broadcast_to(data, np.shape(bad))[tuple(np.argwhere(bad)[0])])
            said = f"{first} is not {_words(predicate)}"
            run.log.add("assume", said, op, run.block, count=int(np.count_nonzero(bad)))

    return step


def broken(predicate: DivBy | Bounded | SameElements, data: Array) -> Array:
    """Where a value is not as it is assumed to be."""
    match predicate:
        case DivBy(divisor, every, along):
            bad = _leaves_a_rest(data, divisor)
            if every is None or along is None:
                return bad
            starts = np.arange(data.shape[along]) % every == 0
            shape = [1] * data.ndim
            shape[along] = -1
            return bad & starts.reshape(shape)
        case Bounded(low, high):
            over = data > high if high is not None else np.False_
            return np.asarray((data < low if low is not None else np.False_) | over)
        case SameElements(values):
            bad = np.zeros(data.shape, np.bool_)
            for axis, run in enumerate(values):
                starts = np.arange(data.shape[axis]) // run * run
                bad |= data != np.take(data, starts, axis=axis)
            return bad


def _leaves_a_rest(data: Array, divisor: int) -> Array:
    """Where numbers are no multiples of a divisor, which their type need not hold: -128 is a multiple of 128."""
    holds = data.dtype.kind in "iu" and divisor <= np.iinfo(data.dtype).max
    return np.asarray((data if holds else data.astype(object)) % divisor != 0)


def _words(predicate: DivBy | Bounded | SameElements) -> str:
    match predicate:
        case DivBy(divisor):
            return f"a multiple of {divisor}, as is assumed"
        case Bounded(low, high):
            return f"between {low} and {high}, as is assumed"
        case _:
            return "equal to its neighbours, as is assumed"


_CONVERSION = re.compile(r"%(%|[-+ #0-9.]*(?:hh|h|ll|l)?[a-zA-Z])")


def show(plan: Plan, op: Operation) -> Step:
    """`print_tko`: one line of text a call; a tile is printed element by element, in brackets."""
    args, out = plan.many(op, "args"), plan.results(op)
    pieces = _CONVERSION.split(ir.attribute(op, "str"))
    names = [_element(value.type) for value in ir.operands(op, "args")]

    def step(env: list[Any], run: Run) -> None:
        given = iter(zip((env[slot] for slot in args), names, strict=True))
        text = "".join(_piece(piece, given) if i % 2 else piece for i, piece in enumerate(pieces))
        run.prints.append(text)
        for slot in out:
            env[slot] = None

    return step


def _element(kind: Any) -> str:
    element = cast(TileType, kind).element
    return element.name if isinstance(element, ScalarType) else "ptr"


def _piece(conversion: str, given: Any) -> str:
    if conversion == "%":
        return "%"
    tile, name = next(given)
    form = "%" + re.sub(r"hh|h|ll|l", "", conversion)
    numbers = widen(tile.data, name) if name in FORMATS else tile.data
    number = form.replace("u", "d").replace("i", "d").replace("p", "x")
    words = [number % value for value in numbers.reshape(-1).tolist()]
    return words[0] if prod(tile.data.shape) == 1 and not tile.data.ndim else "[" + ", ".join(words) + "]"


BUILDERS: dict[str, Builder] = {"assert": require, "assume": assume, "print_tko": show}
