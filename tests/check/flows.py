"""Random programs of loops and branches that end, to hold what check says of them against what they do when run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from builder import Builder
from xdsl.ir import Block, Operation, SSAValue

from ferrotile import ir
from ferrotile.core import ParameterMap, Role, Unsupported
from ferrotile.interp import Options, same_results

INPUTS, OUTPUTS = 4, 3
ROUND_LIMIT = 2000
RUNS = ((0, 1, 2, 3), (3, 2, 5, -1), (1, 1, 1, 1), (-4, 7, 0, 2), (2, 0, 3, 6))
"""What the inputs are when a program is run."""


class Flow:
    """Writes one program of 32-bit numbers from dice: a few inputs, a few outputs."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.k = Builder()

    def write(self) -> ir.Module:
        """The program."""
        bases = self.k.parameters(*["ptr<i32>"] * (INPUTS + OUTPUTS))
        zero = self.k.constant("i32", 0)
        views = [self.k.partition(self.k.array(base, [self.k.constant("i32", 1)], [1]), [1]) for base in bases]
        known = [self.k.reshape(self.k.load(view, [zero])[0], to="i32") for view in views[:INPUTS]]
        known = self.block(known, 2)
        for value, view in zip(known[-OUTPUTS:], views[INPUTS:], strict=True):
            self.k.store(self.k.reshape(value, to="1xi32"), view, [zero])
        return self.k.module()

    def block(self, known: Sequence[SSAValue], depth: int) -> list[SSAValue]:
        """Some statements; gives all values known after them."""
        found = list(known)
        for _ in range(self.dice.randrange(2, 5)):
            kind = self.dice.choice(("counted", "endless", "branch", "number", "number")) if depth else "number"
            found += getattr(self, kind)(found, depth - 1)
        return found

    def pick(self, known: Sequence[SSAValue]) -> SSAValue:
        """A known value, recent ones more often."""
        return known[-1 - min(int(self.dice.expovariate(0.5)), len(known) - 1)]

    def some(self, known: Sequence[SSAValue]) -> list[SSAValue]:
        """One to three values."""
        return [self.pick(known) for _ in range(self.dice.randrange(1, 4))]

    def less(self, known: Sequence[SSAValue]) -> SSAValue:
        """A condition."""
        return self.k.cmpi(self.pick(known), self.pick(known), to="i1")

    def number(self, known: Sequence[SSAValue], depth: int) -> list[SSAValue]:
        """One operation."""
        return [self.dice.choice((self.k.addi, self.k.subi, self.k.xori))(self.pick(known), self.pick(known))]

    def counted(self, known: Sequence[SSAValue], depth: int) -> list[SSAValue]:
        """A loop of up to three rounds."""
        high = self.k.andi(self.pick(known), self.k.constant("i32", 3))
        first = self.some(known)
        with self.k.for_(self.k.constant("i32", 0), high, self.k.constant("i32", 1), *first) as loop:
            assert loop.index is not None
            inner = self.block([*known, loop.index, *loop.values], depth)
            self.k.end("continue", *[self.pick(inner) for _ in first])
        return list(loop.results)

    def endless(self, known: Sequence[SSAValue], depth: int) -> list[SSAValue]:
        """A loop that breaks in its third round, or before."""
        first = self.some(known)
        with self.k.loop(self.k.constant("i32", 0), *first) as loop:
            count, *values = loop.values
            inner = self.block([*known, *values], depth)
            go = self.k.cmpi(count, self.k.constant("i32", 2), to="i1")
            then, other, given = self.k.if_(self.k.andi(go, self.less(inner)), *first)
            with then:
                self.k.end("yield", *[self.pick(inner) for _ in first])
            with other:
                self.k.end("break", count, *[self.pick(inner) for _ in first])
            inner = self.block([*inner, *given], 0)
            following = self.k.addi(count, self.k.constant("i32", 1))
            self.k.end("continue", following, *[self.pick(inner) for _ in first])
        return list(loop.results)[1:]

    def branch(self, known: Sequence[SSAValue], depth: int) -> list[SSAValue]:
        """A branch with results."""
        given = self.some(known)
        *sides, results = self.k.if_(self.less(known), *given)
        for side in sides:
            with side:
                inner = self.block(known, depth)
                self.k.end("yield", *[self.pick(inner) for _ in given])
        return list(results)


def exchange(module: ir.Module, dice: random.Random) -> bool:
    """Put another value, of the same type and known there, in place of an operand; whether there was one."""
    operations = [op for op in module.entries[0].walk() if op.operands]
    op = dice.choice(operations)
    at = dice.randrange(len(op.operands))
    others = [value for value in known_at(op) if value.type == op.operands[at].type and value is not op.operands[at]]
    if not others or not str(op.operands[at].type).endswith("tile<i32>"):
        return False
    op.operands[at] = dice.choice(others)
    return True


def known_at(op: Operation) -> list[SSAValue]:
    """The values that an operation could read."""
    found: list[SSAValue] = []
    here: Operation | None = op
    while here is not None and isinstance(block := here.parent_block(), Block):
        found += block.args
        for earlier in block.ops:
            if earlier is here:
                break
            found += earlier.results
        here = here.parent_op()
    return found


def run_alike(first: ir.Module, second: ir.Module) -> bool:
    """Whether both programs give the same numbers for a few inputs; where one does not end, the other may do so."""
    roles = tuple(Role.pointer(k) for k in range(INPUTS + OUTPUTS))
    for inputs in RUNS:
        arrays = [np.array([number], np.int32) for number in (*inputs, *[0] * OUTPUTS)]
        with suppress(Unsupported):
            limit = Options(round_limit=ROUND_LIMIT)
            if not same_results(first, second, ParameterMap(roles, roles), arrays, (1,), options=limit).equal:
                return False
    return True
