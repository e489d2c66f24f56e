"""The state of a kernel that is being written: what is known at a place, and how choices are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from fuzzing.kinds import Kind

T = TypeVar("T")
Shape = tuple[int, ...]
LANES = 256
"""The largest number of elements of a tile."""


@cache
def _upto(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


@dataclass(frozen=True, slots=True)
class Name:
    """A Python variable that holds a tile; `fixed`: it is not assigned again."""

    text: str
    kind: Kind
    shape: Shape
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class ArrayName:
    """An array parameter (or a part of one): its extents when the kernel runs."""

    text: str
    kind: Kind
    shape: Shape
    dynamic: tuple[bool, ...]
    index: Kind

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, slots=True)
class Helper:
    """A function that the kernel calls."""

    text: str
    parameters: tuple[tuple[Kind, Shape], ...]
    kind: Kind
    shape: Shape


@dataclass
class Scope:
    """Names, lines and what is left of the budget of expressions."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    arrays: list[ArrayName] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    helpers: list[Helper] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    grid: Shape = (1,)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: int = 0
    in_helper: bool = False
    budget: int = 0
    nesting: int = 0
    count: int = 0

    def upto(self, most: int) -> int:
        """A number from 0, which is the simplest, to `most`."""
        return self.draw(_upto(most)) if most > 0 else 0

    def pick(self, choices: Sequence[T]) -> T:
        """One of several; the first is the simplest."""
        return choices[self.upto(len(choices) - 1)]

    def one_in(self, number: int) -> bool:
        """True in one case of so many; false is the simpler."""
        return self.upto(number - 1) == number - 1

    def write(self, line: str) -> None:
        """A line at the present indentation."""
        self.lines.append("    " * self.depth + line)

    def new(self, prefix: str = "v") -> str:
        """A name that is not used yet."""
        self.count += 1
        return f"{prefix}{self.count}"

    def number(self, value: int) -> str:
        """A whole number, sometimes by the name of a constant parameter that has this value."""
        same = [name for name, known in self.constants.items() if known == value and not self.in_helper]
        return self.pick([str(value), *same]) if same else str(value)

    def tuple(self, values: Sequence[int]) -> str:
        """A tuple of numbers."""
        return f"({', '.join(self.number(value) for value in values)}{',' if len(values) == 1 else ''})"

    def known(self, kind: Kind | None, shape: Shape) -> list[Name]:
        """Variables of a type (None: of any) and shape, the newest first."""
        return [name for name in reversed(self.names) if kind in (None, name.kind) and name.shape == shape]


def lanes(shape: Shape) -> int:
    """Elements of a tile."""
    return math.prod(shape)
