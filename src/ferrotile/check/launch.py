"""Facts of a launch that a comparison may assume: along which axes the grid has one block."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ferrotile.core import InputError

AXES = "xyz"
_ONE_BLOCK = re.compile(r"grid\.([xyz]) == 1")


def is_assumable(fact: str) -> bool:
    """Whether `check` can make use of a fact."""
    return _ONE_BLOCK.fullmatch(fact) is not None


def single_axes(facts: Sequence[str]) -> frozenset[int]:
    """The axes with one block. Raises: FT503 for a fact that says something else."""
    for fact in facts:
        if not is_assumable(fact):
            raise InputError("FT503", f"`{fact}` is no fact that a comparison can assume")
    return frozenset(AXES.index(fact[len("grid.")]) for fact in facts)


def one_block(axis: int) -> str:
    """The fact as verdicts state it."""
    return f"grid.{AXES[axis]} == 1"
