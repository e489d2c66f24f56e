"""What the `evaluate` column of a row holds: a function of one operation, and how poison spreads through it.

A function gets a `Call`: operands by name as NumPy arrays, attributes by name as Python values, element type names
by `of(name)`, and the type of the result. It gives the result, or a tuple of results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ferrotile.ir.types import PointerType, ScalarType, TileType


class Spread(Enum):
    """How a poisoned element of an operand reaches the result."""

    LANES = auto()  # the same element of the result, after broadcasting
    MOVES = auto()  # where the function puts the element: it is called again on the poison itself
    CHOICE = auto()  # as MOVES, and a poisoned condition poisons what it chooses
    ABSORB = auto()  # as LANES, unless the other operand alone decides the result
    PRODUCT = auto()  # the rows and columns of a product
    WHOLE = auto()  # every element


class Call:
    """One operation being evaluated; operand and attribute names are attributes of this object."""

    result: TileType
    types: dict[str, Any]
    faulty: Any

    def __init__(self, attributes: dict[str, Any], types: dict[str, Any], result: Any) -> None:
        self.__dict__.update(attributes)
        self.types = types
        self.result = result
        self.faulty = None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the operation has no operand or attribute `{name}`")

    def of(self, name: str) -> str:
        """The element type of an operand (or `result`), by name."""
        kind = self.result if name == "result" else self.types[name]
        element: ScalarType | PointerType = kind.element
        return element.name if isinstance(element, ScalarType) else "ptr"

    def undefined(self, where: Any) -> None:
        """Say for which elements the specification defines no value."""
        self.faulty = where if self.faulty is None else self.faulty | where


@dataclass(frozen=True, slots=True)
class Meaning:
    """The `evaluate` column of an operation without memory and regions."""

    function: Callable[[Any], Any]
    spread: Spread = Spread.LANES


@dataclass(frozen=True, slots=True)
class Driven:
    """The `evaluate` column of an operation that the interpreter itself carries out, and which part does."""

    by: str


def lanes(function: Callable[[Any], Any]) -> Meaning:
    """A function element by element."""
    return Meaning(function, Spread.LANES)


def moves(function: Callable[[Any], Any]) -> Meaning:
    """A function that only moves elements."""
    return Meaning(function, Spread.MOVES)
