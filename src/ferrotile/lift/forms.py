"""Fill the `rust` column of a row: choose the first form that says what the operation says, put in the operands.

A column is one form or a tuple of forms, first fit. A form is `TEXT`, `TEXT when name=VALUE, ..`, and may start with
`scalar ` (numbers only), `tile ` (tiles only) or `unsafe `. In the text `{lhs}` is an operand, `{rounding_mode}` an
attribute spelled as the marker type that cutile takes, `{shape}` the result's shape. `element` in a condition is the
Rust element of the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from ferrotile.ir.enums import (
    AtomicRMWMode,
    ComparisonOrdering,
    ComparisonPredicate,
    IntegerOverflow,
    MemoryOrderingSemantics,
    MemoryScope,
    PaddingValue,
    RoundingMode,
    Signedness,
)
from ferrotile.lift.rust import OPERATORS, Expr, Level, RustType

_PREFIX = {
    RoundingMode: "rounding", ComparisonOrdering: "cmp_ordering", ComparisonPredicate: "predicate",
    AtomicRMWMode: "atomic", MemoryOrderingSemantics: "ordering", PaddingValue: "padding", Signedness: "signedness",
}  # fmt: skip
_SPECIAL: Mapping[Enum, str] = {
    MemoryScope.TL_BLK: "scope::TileBlock",
    MemoryScope.DEVICE: "scope::Device",
    MemoryScope.SYS: "scope::System",
    IntegerOverflow.NONE: "overflow::None",
    IntegerOverflow.NSW: "overflow::NoSignedWrap",
    IntegerOverflow.NUW: "overflow::NoUnsignedWrap",
    IntegerOverflow.NW: "overflow::NoWrap",
    AtomicRMWMode.ADDF: "atomic::AddF",
}
SHORT = ("i16", "u16")
"""Integers that cutile 0.5.0 has no operators for."""
ARITHMETIC = ("+", "-", "*", "/", "%", "<<", ">>")
"""Operators that rustc does not have on two `bool`; cutile has them on tiles of these."""

_SWITCHES = {"flush_to_zero": "ftz", "propagate_nan": "nan", "fast_acc": "fast_acc", "saturating": "saturating"}


@dataclass(frozen=True, slots=True)
class Template:
    """One form, parsed."""

    text: str
    conditions: tuple[tuple[str, str], ...]
    on: str
    is_unsafe: bool

    @property
    def operator(self) -> str | None:
        """The infix operator of a form such as `{lhs} + {rhs}`."""
        found = re.fullmatch(r"\{\w+\} (\S+) \{\w+\}", self.text)
        return found.group(1) if found else None

    def suits(self, attributes: Mapping[str, object], scalar: bool) -> bool:
        """Whether this form says what these attributes say."""
        if self.on and (self.on == "scalar") is not scalar:
            return False
        return all(_word(attributes.get(name)) == value for name, value in self.conditions)

    def fill(self, operands: Mapping[str, Expr], attributes: Mapping[str, object], type_: RustType) -> Expr:
        """The expression of this form."""
        reads = frozenset[str]().union(*(operand.reads for operand in operands.values()))
        words = {name: marker(name, value) for name, value in attributes.items()}
        words["shape"] = ", ".join(map(str, type_.shape))
        words["type"] = str(type_)
        if self.operator is not None:
            level = OPERATORS[self.operator]
            names = list(operands)
            tighter = Level(level + 1)
            first = tighter if level is Level.COMPARE else level  # comparisons do not chain
            left = _side(operands[names[0]], operands[names[-1]], first)
            right = _side(operands[names[-1]], operands[names[0]], tighter)
            return Expr(f"{left} {self.operator} {right}", type_, level, reads=reads)
        for name, operand in operands.items():
            is_receiver = self.text.startswith(f"{{{name}}}.")
            words[name] = operand.at(Level.ATOM) if is_receiver else operand.text
        text = self.text.format_map(words)
        return Expr(f"unsafe {{ {text} }}" if self.is_unsafe else text, type_, reads=reads)


def _side(operand: Expr, other: Expr, level: Level) -> str:
    if operand.bare is not None and other.bare is None:
        return operand.bare
    return operand.at(level)


def _word(value: object) -> str:
    return value.name if isinstance(value, Enum) else str(value)


def marker(name: str, value: object) -> str:
    """The marker type that stands for an attribute value."""
    if isinstance(value, bool) and name in _SWITCHES:
        return f"{_SWITCHES[name]}::{'Enabled' if value else 'Disabled'}"
    if not isinstance(value, Enum):
        return str(value)
    if value in _SPECIAL:
        return _SPECIAL[value]
    prefix = _PREFIX.get(type(value))
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", value.name) if "_" not in value.name else value.name.split("_")
    return f"{prefix}::{''.join(word.capitalize() for word in words)}"


@cache
def templates(column: str | tuple[str, ...]) -> tuple[Template, ...]:
    """The forms of one `rust` column."""
    forms = (column,) if isinstance(column, str) else column
    return tuple(_parse(form) for form in forms)


def _parse(form: str) -> Template:
    text, _, conditions = form.partition(" when ")
    on = ""
    is_unsafe = False
    while (word := text.split(" ", 1)[0]) in ("scalar", "tile", "unsafe"):
        text = text.removeprefix(word + " ")
        is_unsafe = is_unsafe or word == "unsafe"
        on = on if word == "unsafe" else word
    pairs = (pair.split("=") for pair in conditions.split(", ") if pair)
    return Template(text, tuple((name, value) for name, value in pairs), on, is_unsafe)
