"""The Python values of attributes that are more than an enum, a number or a string.

A hint dictionary is a tuple of `(arch, ((key, value), ...))`; in it an `int` is an i32.
Source: cuda.tile 1.7.0 `_bytecode/attribute.py`, cutile-ir 0.5.0 `bytecode/writer.rs` (preview tags).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from xdsl.ir import BuiltinAttribute, Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ferrotile.ir.types import ScalarType, TileIrType

HintValue = object
"""An int (an i32), bool or str; any other attribute of this module as itself."""

Hints = tuple[tuple[str, tuple[tuple[str, HintValue], ...]], ...]
"""Optimization hints by architecture, in the order in which they were written."""


@dataclass(frozen=True, slots=True)
class DivBy:
    """The value is a multiple of `divisor`; for a tile: of every `every`-th element along `along`."""

    divisor: int
    every: int | None = None
    along: int | None = None


@dataclass(frozen=True, slots=True)
class Bounded:
    """The value lies between `lb` and `ub`, both included; `None` is no bound."""

    lb: int | None
    ub: int | None


@dataclass(frozen=True, slots=True)
class SameElements:
    """Runs of `values[i]` elements along axis `i` are equal."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IntAttr:
    """An integer with its type; signed, but an i1 is 0 or 1.

    `wide`: written as a 64-bit word although the type is narrower (cutile does, for negative values).
    """

    type: TileIrType
    value: int
    wide: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FloatAttr:
    """A float as its bits, with its type.

    `wide`: a 65th bit was written, which tileiras and tileirdisasm drop. cuda.tile 1.7.0 writes a 64-bit value with the
    top bit set this way, so that minus infinity is read as infinity; `bits` is what those tools read.
    """

    type: TileIrType
    bits: int
    wide: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DenseAttr:
    """The raw bytes of a constant with their type."""

    type: TileIrType
    data: bytes


@dataclass(frozen=True, slots=True)
class DictAttr:
    """Named attributes, in order."""

    items: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class HintsAttr:
    """Optimization hints that stand where any attribute may stand."""

    hints: Hints


@dataclass(frozen=True, slots=True)
class PreviewInt:
    """A compile-time integer argument of `preview$call`."""

    value: int


@dataclass(frozen=True, slots=True)
class PreviewStr:
    """A compile-time string argument of `preview$call`."""

    value: str


@dataclass(frozen=True, slots=True)
class PreviewType:
    """A compile-time type argument of `preview$call`."""

    type: TileIrType


@dataclass(frozen=True)
class AttributeValue(Data[Any], BuiltinAttribute):
    """The Python value of an attribute, as xDSL carries it in an operation's properties; printed bare."""

    name = "cuda_tile.value"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        """Not available: the generic text is for reading only."""
        parser.raise_error("attributes of cuda_tile cannot be read back from text")

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(spell(self.data))

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(spell(self.data))


def spell(value: object) -> str:
    """One attribute value as text, for printing and for messages."""
    match value:
        case bool():
            return str(value).lower()
        case bytes():
            return "0x" + value.hex()
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case tuple():
            return "[" + ", ".join(spell(item) for item in value) + "]"
        case IntAttr():
            return f"{value.value} : {value.type}"
        case FloatAttr():
            return f"{value.bits:#x} : {value.type}"
        case Enum():
            return value.name
        case _:
            return str(value)


I32 = ScalarType("i32")
"""The type of a plain `int` in a hint dictionary."""
