"""Random kernels on random launches: where the facts hold, blocks keep apart, and tiles begin inside their arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest
from block_indices import Block, tiles_reached
from index_kernels import ROLES, IndexKernel

from ferrotile import ir
from ferrotile.backend.arguments import ArrayGiven, Passed
from ferrotile.backend.facts import LaunchFacts
from ferrotile.check import prove_exclusive
from ferrotile.core import Unsupported
from ferrotile.host import relations_of
from ferrotile.host.declaration import ArrayFacts, AxisFacts, Facts, ScalarFacts

FACTS: dict[str, Facts] = {name: ArrayFacts("", (AxisFacts(),) * 2) for name in "xy"}
FACTS |= {f"scalar({number})": ScalarFacts("i32") for number in (0, 1)}
LARGE = (2**31 - 1, 2**31 - 8, 2**30, 2**16, 46341)
LARGE_GRIDS = (2**31 - 1, 2**24, 65535, 100)
KERNELS, TRIES, LAUNCHES = 60, 100, 6
Launch = tuple[Block, list[int], list[int]]
"""The grid, the extents of both arrays, and both numbers."""
Box = tuple[tuple[int, int], ...]


def launches(chance: Random, kernel: IndexKernel) -> Iterator[Launch]:
    """Mostly small ones, on which every block can be looked at."""

    def number(least: int, most: int) -> int:
        return chance.choice(LARGE) if chance.random() < 0.15 else chance.randrange(least, most)

    while True:
        grid = tuple(chance.choice((1, 1, 1, 2, 3, 5) if chance.random() < 0.93 else LARGE_GRIDS) for _ in range(3))
        extents = [number(0, 60) for _ in range(4)]
        extents[2:] = [most if fixed is None else fixed for most, fixed in zip(extents[2:], kernel.fixed, strict=True)]
        yield grid, extents, [number(0, 24) * chance.choice((1, 1, 1, 1, -1)) for _ in range(2)]


def with_facts(facts: LaunchFacts, tried: Iterator[Launch]) -> list[Launch]:
    """Some launches that have the facts."""
    found: list[Launch] = []
    for _, (grid, extents, scalars) in zip(range(TRIES), tried, strict=False):
        arrays = tuple(ArrayGiven(0, None, tuple(shape), (1, 1)) for shape in (extents[:2], extents[2:]))
        try:
            facts.require(grid, Passed(arrays, tuple(scalars)))
        except Unsupported:
            continue
        found.append((grid, extents, scalars))
        if len(found) == LAUNCHES:
            break
    return found


def require_apart(module: ir.Module, launch: Launch) -> None:
    """Every tile begins inside the array, and no two blocks reach one element."""
    grid, extents, scalars = launch
    owners: dict[Box, Block] = {}
    for one in tiles_reached(module, [None, *extents[:2], 1, 1, None, *extents[2:], 1, 1, *scalars], grid):
        box = tuple((place * size, place * size + size) for place, size in zip(one.index, one.tile, strict=True))
        assert all(0 <= begin < most for (begin, _), most in zip(box, extents[2:], strict=True)), (one, launch)
        assert owners.setdefault(box, one.block) == one.block, (one, owners[box], launch)
    by_size: dict[tuple[int, ...], list[Box]] = defaultdict(list)
    for box in owners:
        by_size[tuple(end - begin for begin, end in box)].append(box)
    for these, those in combinations(by_size.values(), 2):
        assert not any(_meet(this, that) and owners[this] != owners[that] for this in these for that in those), launch


def _meet(this: Box, that: Box) -> bool:
    return all(begin < last and first < end for (begin, end), (first, last) in zip(this, that, strict=True))


def tried(seed: int) -> tuple[bool, int]:
    """Whether a kernel was proved, and how many launches it was tried on."""
    chance = Random(seed)
    kernel = IndexKernel(chance)
    module = kernel.module()
    found = prove_exclusive(module, ROLES)
    if not found.holds:
        return False, 0
    try:
        claims = relations_of(found.facts, FACTS, ("x", "y"))
    except Unsupported:  # a fact that no check is made of: nothing is launched
        return True, 0
    tries = with_facts(LaunchFacts("kernel", claims, ("x", "y")), launches(chance, kernel))
    for launch in tries:
        require_apart(module, launch)
    return True, len(tries)


@pytest.mark.parametrize("first", range(0, 480, KERNELS))
def test_a_launch_with_the_facts_keeps_blocks_apart(first: int) -> None:
    results = [tried(seed) for seed in range(first, first + KERNELS)]
    assert sum(is_proved for is_proved, _ in results) > KERNELS // 10
    assert sum(count for _, count in results) > KERNELS // 2
