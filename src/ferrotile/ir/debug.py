"""Debug records: where an operation came from, with its scopes and the calls that were inlined.

Source: cuda.tile 1.7.0 `_bytecode/debug_info.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Data, Operation
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ferrotile.core import InputError, Place
from ferrotile.ir.binary import Reader, put_varint
from ferrotile.ir.spec import FIRST, Version


@dataclass(frozen=True, slots=True)
class Unknown:
    """No information; stands in tables that would otherwise be empty."""


@dataclass(frozen=True, slots=True)
class CompileUnit:
    """The unit that was compiled."""

    file: Record


@dataclass(frozen=True, slots=True)
class File:
    """A source file."""

    file_name: str
    directory: str


@dataclass(frozen=True, slots=True)
class LexicalBlock:
    """A block inside a function."""

    scope: Record
    file: Record
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Loc:
    """A position in a scope."""

    scope: Record
    file_name: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Subprogram:
    """A function."""

    file: Record
    line: int
    function: str
    linkage: str
    unit: Record
    scope_line: int
    flags: int = 0


@dataclass(frozen=True, slots=True)
class CallSite:
    """A position in a function that was inlined, and where it was called."""

    callee: Record
    caller: Record


Record = Unknown | CompileUnit | File | LexicalBlock | Loc | Subprogram | CallSite | None
"""A debug record; `None` is the number 0, no record."""

_TAGS: dict[int, type[Any]] = {
    0: Unknown, 1: CompileUnit, 2: File, 3: LexicalBlock, 4: Loc, 5: Subprogram, 6: CallSite,
}  # fmt: skip
_TAG_OF = {kind: tag for tag, kind in _TAGS.items()}
_SINCE: dict[str, Version] = {"flags": (13, 5)}
_LAYOUT = {kind: [(item.name, item.type) for item in fields(kind)] for kind in _TAGS.values()}


@dataclass(frozen=True)
class Location(Data[Record]):
    """A debug record as xDSL carries it: the `location` of an operation."""

    name = "cuda_tile.loc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Record:
        """Not available: the generic text is for reading only."""
        parser.raise_error("places cannot be read back from text")

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{_place(self.data)}>")


def read_record(data: bytes, version: Version, text: Callable[[int], str], lookup: Callable[[int], Record]) -> Record:
    """Decode one entry of the debug table.

    Raises: InputError FT203, FT208.
    """
    reader = Reader(data)
    tag = reader.byte()
    if tag not in _TAGS:
        raise InputError("FT208", f"unknown debug record tag {tag}")
    values: list[object] = []
    for name, kind in _LAYOUT[_TAGS[tag]]:
        if version < _SINCE.get(name, FIRST):
            continue
        number = reader.varint()
        values.append(text(number) if kind == "str" else lookup(number) if kind == "Record" else number)
    return _TAGS[tag](*values)


def write_record(
    record: Record, version: Version, text: Callable[[str], int], lookup: Callable[[Record], int]
) -> bytes:
    """Encode one entry of the debug table."""
    buffer = bytearray([_TAG_OF[type(record)]])
    for name, kind in _LAYOUT[type(record)]:
        if version < _SINCE.get(name, FIRST):
            continue
        value = getattr(record, name)
        put_varint(buffer, text(value) if kind == "str" else lookup(value) if kind == "Record" else value)
    return bytes(buffer)


def record(op: Operation) -> Record:
    """The debug record of an operation."""
    location: object = op.location
    return location.data if isinstance(location, Location) else None


def locate(op: Operation, item: Record) -> None:
    """Give an operation a debug record."""
    op.location = UNKNOWN_LOC if item is None else Location(item)  # pyright: ignore[reportAttributeAccessIssue]


def place(op: Operation) -> Place | None:
    """Where an operation came from, innermost first; `None` if the bytecode does not say."""
    return _place(record(op))


def _place(item: Record, caller: Place | None = None) -> Place | None:
    match item:
        case CallSite():
            return _place(item.callee, _place(item.caller, caller))
        case Loc():
            return Place(item.file_name, item.line, item.column, _function(item.scope), caller)
        case Subprogram():
            return Place(_path(item.file), item.line, 0, item.function, caller)
        case LexicalBlock():
            return Place(_path(item.file), item.line, item.column, _function(item.scope), caller)
        case _:
            return caller


def _path(item: Record) -> str:
    if not isinstance(item, File):
        return ""
    return f"{item.directory}/{item.file_name}" if item.directory else item.file_name


def _function(scope: Record) -> str:
    while isinstance(scope, LexicalBlock):
        scope = scope.scope
    return scope.function if isinstance(scope, Subprogram) else ""
