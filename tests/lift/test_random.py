"""Random kernels of loops and branches over numbers and tiles: what is carried, passed or read late is right."""

from __future__ import annotations

import random

import pytest
from proof import STYLES, require_equal
from surround import Surround
from xdsl.ir import SSAValue

from ferrotile.lift import Style

WORDS = ("i32", "4xi32", "4xf32")
SEEDS = (*range(8), 61, 109, 118, 125, 151, 192, 291, 2249, 2257)
"""The last ones were wrong kernels once: names given away too early, variables that held two values."""

MANY = range(1000, 1150)


class Author:
    """Writes one kernel from dice."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.k = Surround()

    def write(self) -> bytes:
        """The kernel as bytecode."""
        known = {word: [self.k.given(word) for _ in range(2)] for word in WORDS}
        for values in self.block(known, 3).values():
            for value in values[-2:]:
                self.k.keep(value)
        return self.k.bytes()

    def block(self, known: dict[str, list[SSAValue]], depth: int) -> dict[str, list[SSAValue]]:
        """Write some statements; give all values that are known after them."""
        known = {word: list(values) for word, values in known.items()}
        for _ in range(self.dice.randrange(2, 6)):
            kind = self.dice.random()
            self.k.line += 1
            if depth and kind < 0.2:
                self.loop(known, depth - 1)
            elif depth and kind < 0.45:
                self.branch(known, depth - 1)
            else:
                self.compute(known)
        return known

    def pick(self, known: dict[str, list[SSAValue]], word: str) -> SSAValue:
        """A known value, recent ones more often."""
        values = known[word]
        return values[-1 - min(int(self.dice.expovariate(0.7)), len(values) - 1)]

    def compute(self, known: dict[str, list[SSAValue]]) -> None:
        """One or two operations."""
        word = self.dice.choice(WORDS)
        lhs, rhs = self.pick(known, word), self.pick(known, word)
        if word == "4xf32":
            known[word].append(self.dice.choice([self.k.addf, self.k.mulf, self.k.subf])(lhs, rhs))
        elif self.dice.random() < 0.2:
            known[word].append(self.k.divi(lhs, rhs, rounding=self.k.floor))
        else:
            known[word].append(self.dice.choice([self.k.addi, self.k.muli, self.k.xori])(lhs, rhs))

    def carried(self, known: dict[str, list[SSAValue]]) -> list[str]:
        """The words of what a loop or branch gives."""
        return [self.dice.choice(WORDS) for _ in range(self.dice.randrange(1, 4))]

    def loop(self, known: dict[str, list[SSAValue]], depth: int) -> None:
        """A counted loop."""
        words = self.carried(known)
        first = [self.pick(known, word) for word in words]
        with self.k.for_(self.pick(known, "i32"), self.pick(known, "i32"), self.k.given("i32"), *first) as loop:
            inner = {word: list(values) for word, values in known.items()}
            assert loop.index is not None
            inner["i32"].append(loop.index)
            for word, value in zip(words, loop.values, strict=True):
                inner[word].append(value)
            inner = self.block(inner, depth)
            self.k.end("continue", *[self.pick(inner, word) for word in words])
        for word, value in zip(words, loop.results, strict=True):
            known[word].append(value)

    def branch(self, known: dict[str, list[SSAValue]], depth: int) -> None:
        """A branch with results."""
        words = self.carried(known)
        condition = self.k.less(self.pick(known, "i32"), self.pick(known, "i32"))
        *sides, results = self.k.if_(condition, *words)
        for side in sides:
            with side:
                inner = self.block(known, depth)
                self.k.end("yield", *[self.pick(inner, word) for word in words])
        for word, value in zip(words, results, strict=True):
            known[word].append(value)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels_are_the_same_in_rust(seed: int) -> None:
    for style in STYLES:
        require_equal(Author(seed).write(), style)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_many_random_kernels_are_the_same_in_rust(seed: int) -> None:
    require_equal(Author(seed).write(), Style.FLUENT)
