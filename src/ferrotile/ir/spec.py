"""The row class of the operation table, and the small words that rows are written with.

An operation is one row; codec, verifier, check, lift and documentation read their own columns of it.
`since` on the row or on one field is the bytecode version that brought it; the codec alone reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any, Protocol

from ferrotile.ir.meaning import Driven, Meaning

Version = tuple[int, int]
"""A bytecode version, such as `(13, 4)`."""

FIRST: Version = (13, 1)
NEWEST: Version = (13, 5)
VERSIONS: tuple[Version, ...] = ((13, 1), (13, 2), (13, 3), (13, 4), (13, 5))
"""The bytecode versions that the table describes."""


ENCODERS = "cuda.tile 1.7.0 _bytecode/encodings.py"


class Kind(Enum):
    """How an attribute is written, and with it the Python type of its value."""

    UNIT = auto()  # bool, a bit of the flags word
    BOOL = auto()  # bool, a byte
    INT = auto()  # int
    STR = auto()  # str
    TYPE = auto()  # a type
    ENUM = auto()  # a member of `Field.enum`
    CONSTANT = auto()  # bytes: one element (a splat) or all
    ARRAY = auto()  # tuple of tagged attributes
    TAGGED = auto()  # one tagged attribute
    INT32S = auto()  # tuple of int
    BOOLS = auto()  # tuple of bool
    HINTS = auto()  # see `attributes.Hints`


class Arity(Enum):
    """How many values an operand or result name stands for."""

    ONE = auto()
    OPTIONAL = auto()
    MANY = auto()


class Effect(Enum):
    """What an operation does besides giving a value."""

    PURE = auto()
    READ = auto()
    WRITE = auto()
    ORDER = auto()  # makes or joins tokens
    CONTROL = auto()  # holds regions, or ends a block
    SYMBOL = auto()  # declares a name: module, entry, global


class Missing(Enum):
    """The type of `REQUIRED`."""

    REQUIRED = auto()


REQUIRED = Missing.REQUIRED
"""Marks a field without a value for versions that lack it."""


@dataclass(frozen=True, slots=True)
class FalsePer:
    """A default: one `False` for each value of an operand."""

    operand: str


@dataclass(frozen=True, slots=True)
class Field:
    """One attribute of an operation."""

    name: str
    kind: Kind
    enum: type[Enum] | None = None
    optional: bool = False
    since: Version = FIRST
    default: object = REQUIRED

    @property
    def is_flag(self) -> bool:
        """Whether the flags word has a bit for this attribute."""
        return self.kind is Kind.UNIT or self.optional


@dataclass(frozen=True, slots=True)
class Slot:
    """One operand or result name of an operation."""

    name: str
    arity: Arity = Arity.ONE
    since: Version = FIRST


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a column is empty: a code and the reason."""

    code: str
    why: str


def refuse(code: str, why: str) -> Refusal:
    """Fill a column with a refusal."""
    return Refusal(code, why)


class Rule(Protocol):
    """A demand on one operation; `check` gives the name of the part at fault, or `None`."""

    @property
    def says(self) -> str: ...

    @property
    def check(self) -> Callable[[Any], str | None]: ...


@dataclass(frozen=True)
class Example:
    """One legal use of an operation: the types of its operands and results, and its attributes.

    `types` is text such as `lhs rhs: 4xf32; result: 4xi1`; several types after the colon are the values of a name
    that stands for many. An attribute that is not given has its default, or the first value of its kind.
    """

    types: str
    attributes: tuple[tuple[str, object], ...] = ()


def example(types: str = "", **attributes: object) -> Example:
    """Write the example of a row."""
    return Example(types, tuple((name.removesuffix("_"), value) for name, value in attributes.items()))


@dataclass(frozen=True)
class OpRow:
    """One operation of Tile IR.

    Columns and their readers: name, opcode, since, attributes, operands, results, regions (codec);
    rules (verifier); effect, laws (check); evaluate (interp); rust (lift); example, source (tests, docs).
    """

    name: str
    opcode: int
    attributes: tuple[Field, ...] = ()
    operands: tuple[Slot, ...] = ()
    results: tuple[Slot, ...] = ()
    regions: int = 0
    effect: Effect = Effect.PURE
    rules: tuple[Rule, ...] = ()
    since: Version = FIRST
    preview: bool = False
    terminator: bool = False
    laws: tuple[str, ...] = ()
    evaluate: Meaning | Driven | Refusal | None = None
    rust: str | tuple[str, ...] | Refusal | None = None
    example: Example | None = None
    source: str = ""
    may_be_empty: int = 0  # the last regions that may have no block

    @cached_property
    def full_name(self) -> str:
        """The name with its dialect, as xDSL uses it."""
        return f"cuda_tile.{self.name}"

    @cached_property
    def field(self) -> dict[str, Field]:
        """Attributes by name."""
        return {item.name: item for item in self.attributes}

    @cached_property
    def open_operands(self) -> tuple[int, ...]:
        """Positions of operand names that stand for any number of values."""
        return tuple(i for i, slot in enumerate(self.operands) if slot.arity is not Arity.ONE)

    @property
    def has_segments(self) -> bool:
        """Whether the number of values per operand name has to be kept with the operation."""
        return len(self.open_operands) > 1

    @property
    def counts_results(self) -> bool:
        """Whether the bytecode gives the number of results."""
        slots = (*self.operands, *self.results)
        return any(slot.arity is Arity.MANY for slot in slots)

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of columns that are still empty."""
        columns = {
            "verifier": self.rules,
            "evaluate": self.evaluate,
            "rust": self.rust,
            "example": self.example,
            "source": self.source,
        }
        return tuple(name for name, value in columns.items() if not value)


def slots(words: str | Sequence[Slot]) -> tuple[Slot, ...]:
    """Read `"lhs mask? index*"` (one, optional, many; `@13.2` after a name is its version)."""
    if not isinstance(words, str):
        return tuple(words)
    return tuple(_slot(word) for word in words.split())


def _slot(word: str) -> Slot:
    word, _, version = word.partition("@")
    since = parse_version(version) if version else FIRST
    arity = {"?": Arity.OPTIONAL, "*": Arity.MANY}.get(word[-1], Arity.ONE)
    return Slot(word.rstrip("?*"), arity, since)


def parse_version(text: str) -> Version:
    """Read a bytecode version.

    Example:
        >>> parse_version("13.4")
        (13, 4)
    """
    major, minor = text.split(".")
    return int(major), int(minor)


def op(
    name: str,
    opcode: int,
    operands: str = "",
    results: str = "",
    attributes: Sequence[Field] = (),
    since: str = "13.1",
    **columns: Any,
) -> OpRow:
    """Write a row; slots are given as words, see `slots`."""
    columns["rules"] = _flat(columns.get("rules", ()))
    columns.setdefault("source", ENCODERS if since > "13.3" else f"{ENCODERS}; Ops.td of CUDA Tile IR 13.3")
    return OpRow(
        name=name,
        opcode=opcode,
        operands=slots(operands),
        results=slots(results),
        attributes=tuple(attributes),
        since=parse_version(since),
        **columns,
    )


def _flat(rules: Iterable[Any]) -> tuple[Rule, ...]:
    """Rules come alone or as tuples of rules that belong together."""
    return tuple(rule for item in rules for rule in (item if isinstance(item, tuple) else (item,)))


def enum(name: str, members: type[Enum], **more: Any) -> Field:
    """An enumerated attribute."""
    return Field(name, Kind.ENUM, members, **more)
