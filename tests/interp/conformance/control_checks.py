"""Checks of loops, branches, block ids, assertions and prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import exact
import numpy as np
from builder import Builder, tile
from harness import INTS, check, constant, stored
from memory_checks import by_pointer, pointers

from ferrotile import ir
from ferrotile.core import FerrotileError
from ferrotile.interp import Options, interpret
from ferrotile.ir.attributes import Bounded, DivBy, SameElements
from ferrotile.ir.enums import ComparisonPredicate
from ferrotile.ir.types import TokenType


def ran(k: Builder, target: Any, value: Any, name: str) -> int:
    """The scalar that a kernel ends with."""
    k.store_pointers(target, value)
    result = interpret(k.module(), [stored([0], name)], (1,), roles=by_pointer(1), options=Options(round_limit=1000))
    return int(result.arrays[0][0])


def _loops(name: str) -> None:
    @check("for", name, "bounds, step, carried values")
    def run() -> Iterable[str]:
        bits = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}[name]
        cases = (
            (0, 10, 3, False),
            (5, 5, 1, False),
            (-3, 4, 2, False),
            (5, -5, 1, False),
            (-6, -1, 5, True),
            (3, -1, 100, True),
        )
        for low, high, step, is_unsigned in cases:
            if is_unsigned and step == 100 and bits > 8:
                continue
            k = Builder()
            (target,) = k.parameters(f"ptr<{name}>")
            bounds = [constant(k, stored([x], name), name) for x in (low, high, step)]
            with k.for_(*bounds, k.constant(name, 7), unsignedCmp=is_unsigned) as loop:
                # Order matters: twice what was, plus the index.
                twice = k.addi(loop.values[0], loop.values[0])
                k.end("continue", k.addi(twice, loop.index))
            got = ran(k, target, loop.results[0], name)
            reading = exact.unsigned if is_unsigned else exact.signed
            want = 7
            for i in range(reading(low, bits), reading(high, bits), step):
                want = exact.signed(2 * want + i, bits)
            if got != want:
                yield f"from {low} to {high} by {step}{' unsigned' if is_unsigned else ''}: {got}, not {want}"


def _branches(name: str) -> None:
    @check("if", name, "yields of the branch taken")
    def run() -> Iterable[str]:
        for taken in (True, False):
            k = Builder()
            (target,) = k.parameters(f"ptr<{name}>")
            first, second, results = k.if_(constant(k, stored([taken], "i1"), "i1"), name)
            with first:
                k.end("yield", k.constant(name, 1))
            with second:
                k.end("yield", k.constant(name, 2))
            got = ran(k, target, results[0], name)
            if got != (1 if taken else 2):
                yield f"{taken} gives {got}"


def counting(k: Builder, start: Any, one: Any, limit: Any) -> Any:
    """loop { if i < limit { continue i + 1 } else { break i } }"""
    with k.loop(start) as loop:
        (i,) = loop.values
        less = k.cmpi(i, limit, to="i1", comparison_predicate=ComparisonPredicate.LESS_THAN)
        first, second, _ = k.if_(less)
        with first:
            k.end("continue", k.addi(i, one))
        with second:
            k.end("yield")
        k.end("break", i)
    return loop.results[0]


@check("loop", "i32", "continue and break from inside a branch")
def _endless() -> Iterable[str]:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    value = counting(k, k.constant("i32", 3), k.constant("i32", 1), k.constant("i32", 9))
    got = ran(k, target, value, "i32")
    if got != 9:
        yield f"gives {got}, not 9"


@check("loop", "i32", "one without end is given up")
def _no_end() -> Iterable[str]:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    value = counting(k, k.constant("i32", 3), k.constant("i32", 0), k.constant("i32", 9))
    try:
        ran(k, target, value, "i32")
    except FerrotileError as error:
        if error.code != "FT252":
            yield f"raises {error.code}"
    else:
        yield "ends"


@check("return", "i32", "from inside a loop ends the block, not the launch")
def _early() -> Iterable[str]:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    block = k.block_id()[0]
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    is_first = k.cmpi(block, zero, to="i1", comparison_predicate=ComparisonPredicate.EQUAL)
    first, second, _ = k.if_(is_first)
    with first:
        k.end("return")
    with second:
        k.end("yield")
    k.store_pointers(k.offset(target, block), one)
    result = interpret(k.module(), [np.zeros(3, np.int32)], (3,), roles=by_pointer(1))
    if result.arrays[0].tolist() != [0, 1, 1]:
        yield f"gives {result.arrays[0].tolist()}"


def _ids(op: str) -> None:
    @check(op, "i32", "three axes")
    def run() -> Iterable[str]:
        k = Builder()
        (target,) = k.parameters("ptr<i32>")
        x, y, z = k.block_id()
        numbers = k._add(op, {}, {}, [tile("i32")] * 3).results
        place = k.addi(x, k.muli(k.constant("i32", 3), k.addi(y, k.muli(k.constant("i32", 2), z))))
        value = k.constant("i32", 0)
        for number in numbers:
            value = k.addi(k.muli(value, k.constant("i32", 10)), number)
        k.store_pointers(k.offset(target, place), value)
        result = interpret(k.module(), [np.zeros(12, np.int32)], (3, 2, 2), roles=by_pointer(1), seed=3)
        every = [(i, j, m) for m in range(2) for j in range(2) for i in range(3)]
        want = [i * 100 + j * 10 + m if op == "get_tile_block_id" else 322 for i, j, m in every]
        if result.arrays[0].tolist() != want or len(set(result.blocks)) != 12:
            yield f"gives {result.arrays[0].tolist()}, not {want}"


PREDICATES = (
    (DivBy(4), [4, 8, 0, -12], [4, 6, 0, 1], 2),
    (DivBy(4, 2, 0), [4, 1, 8, 3], [4, 1, 7, 3], 1),
    (Bounded(0, None), [0, 1, 2, 3], [0, -1, 2, -3], 2),
    (Bounded(0, 3), [0, 1, 2, 3], [0, 4, 2, 3], 1),
    (SameElements((2,)), [5, 5, 7, 7], [5, 5, 7, 8], 1),
)


@check("assume", "i32", "a broken promise is found and counted")
def _assume() -> Iterable[str]:
    for predicate, good, bad, count in PREDICATES:
        for values, wanted in ((good, 0), (bad, count)):
            k = Builder()
            k.parameters()
            k.assume(constant(k, np.asarray(values, np.int32), "4xi32"), predicate)
            found = interpret(k.module(), [], (1,)).found("assume")
            if sum(finding.count for finding in found) != wanted:
                yield f"{predicate} of {values} finds {[str(finding) for finding in found]}"


@check("assert", "i1", "what fails is found and counted")
def _assert() -> Iterable[str]:
    for values, wanted in (([1, 1, 1, 1], 0), ([1, 0, 1, 0], 2)):
        k = Builder()
        k.parameters()
        k._add("assert", {"condition": constant(k, stored(values, "i1"), "4xi1")}, {"message": "all"}, [])
        found = interpret(k.module(), [], (1,)).found("assert")
        if sum(finding.count for finding in found) != wanted:
            yield f"{values} finds {[str(finding) for finding in found]}"


@check("print_tko", "f32", "scalars, tiles, and a percent sign")
def _print() -> Iterable[str]:
    k = Builder()
    k.parameters()
    args = [k.constant("f32", 1.5), constant(k, np.asarray([1, -2], np.int32), "2xi32")]
    k._add("print_tko", {"args": args}, {"str": "x=%.2f %d 100%%\n"}, [TokenType()])
    prints = interpret(k.module(), [], (1,)).prints
    if prints != ("x=1.50 [1, -2] 100%\n",):
        yield f"prints {prints}"


@check("get_global", "i32", "reads a global")
def _global() -> Iterable[str]:
    from ferrotile.ir.access import wrap

    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    base = k._add("get_global", {}, {"name": "table"}, [tile("ptr<i32>")]).results[0]
    value, _ = k.load_pointers(pointers(k, base, 4, "i32"))
    k.store_pointers(pointers(k, target, 4, "i32"), value)
    module = k.module()
    raw = np.asarray([5, 6, 7, 8], np.int32).tobytes()
    item = ir.make("global", {}, {"sym_name": "table", "value": raw, "alignment": 16})
    item.attributes["type"] = wrap(tile("4xi32"))
    body = module.op.regions[0].block
    body.insert_op_before(item, body.first_op)
    result = interpret(module, [np.zeros(4, np.int32)], (1,), roles=by_pointer(1))
    if result.arrays[0].tolist() != [5, 6, 7, 8]:
        yield f"reads {result.arrays[0].tolist()}"


@check("alloca", "f32", "nothing has written it, and each block has its own")
def _alloca() -> Iterable[str]:
    k = Builder()
    (target,) = k.parameters("ptr<f32>")
    more = {"num_elem": 4, "alignment": 16, "global": False}
    base = k._add("alloca", {}, more, [tile("ptr<f32>")]).results[0]
    k.store_pointers(base, k.constant("f32", 2.0))
    k.load_pointers(pointers(k, base, 4, "f32"))
    k.store_pointers(k.offset(target, k.block_id()[0]), k.load_pointers(base)[0])
    result = interpret(k.module(), [np.zeros(2, np.float32)], (2,), roles=by_pointer(1))
    if result.arrays[0].tolist() != [2.0, 2.0] or {f.kind for f in result.findings} != {"read-before-write"}:
        yield f"{result.arrays[0].tolist()} {[str(f) for f in result.findings]}"


def _tokens(op: str) -> None:
    @check(op, "token", "gives a token")
    def run() -> Iterable[str]:
        k = Builder()
        (target,) = k.parameters("ptr<i32>")
        row = next(row for row in ir.table() if row.name == op)
        token = k.token()
        values: dict[str, Any] = {"tokens": [token, token]} if op == "join_tokens" else {"token": token}
        made = k._add(op, values if row.operands else {}, {}, [TokenType()])
        k.store_pointers(target, k.constant("i32", 4), token=made.results[0])
        result = interpret(k.module(), [np.zeros(1, np.int32)], (1,), roles=by_pointer(1))
        if result.arrays[0].tolist() != [4]:
            yield f"{result.arrays[0].tolist()}"


for _name in INTS:
    _loops(_name)
    _branches(_name)
for _op in ("get_tile_block_id", "get_num_tile_blocks"):
    _ids(_op)
for _op in ("make_token", "join_tokens", "memory_fence_alias_tko", "gdc_wait_tko", "gdc_launch_dependents_tko"):
    _tokens(_op)
