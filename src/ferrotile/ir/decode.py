"""Bytecode to a module.

Source: cuda.tile 1.7.0 `_bytecode/writer.py`; cutile-ir 0.5.0 `bytecode/writer.rs` as second witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from xdsl.ir import Block, Operation, Region

from ferrotile.core import InputError
from ferrotile.ir.access import wrap
from ferrotile.ir.attrcodec import read_tagged
from ferrotile.ir.attributes import HintsAttr
from ferrotile.ir.binary import Reader, read_table
from ferrotile.ir.body import BodyReader
from ferrotile.ir.debug import Record, locate
from ferrotile.ir.dialect import make
from ferrotile.ir.enums import SymbolVisibility
from ferrotile.ir.module import Layout, Module
from ferrotile.ir.sections import (
    CONSTANT,
    DEBUG,
    ENTRY_FLAG,
    FUNCTION,
    GLOBAL,
    HINTS_FLAG,
    POSITIONAL_SINCE,
    PRODUCER,
    STRING,
    TYPE,
    VISIBILITY_SINCE,
    Section,
    read_header,
    read_sections,
)
from ferrotile.ir.spec import Version
from ferrotile.ir.tables import Tables
from ferrotile.ir.types import FunctionType

MODULE_NAME = "kernels"
"""The symbol of every module; the bytecode does not carry one."""


def decode(data: bytes) -> Module:
    """Decode Tile IR bytecode of version 13.1 to 13.5.

    Raises: InputError FT200 to FT214, whatever is wrong with the bytes.
    Example:
        >>> decode(b"")
        Traceback (most recent call last):
        ...
        ferrotile.core.errors.InputError: FT200: the file is empty; give a `.tileirbc` file
    """
    reader = Reader(data)
    version, preview = read_header(reader)
    return _Decoder(data, version, read_sections(reader), preview=preview).module()


class _Decoder:
    def __init__(self, data: bytes, version: Version, sections: dict[int, Section], *, preview: bool) -> None:
        self._data = data
        self._version = version
        self._preview = preview
        self._sections = sections
        self._tails: dict[int, bytes] = {}
        self._tables = Tables(version, self._table(STRING, 4), self._table(CONSTANT, 8))
        lists, records = self._debug()
        self._debug_lists = lists
        self._tables.fill(self._table(TYPE, 4), records)

    def module(self) -> Module:
        """Decode everything."""
        self._tables.record.all()
        globals_ = list(self._globals())
        numbers: list[int] = []
        entries = list(self._entries(numbers))
        body = Region(Block([*globals_, *entries]))
        op = make("module", attributes={"sym_name": MODULE_NAME, "producer": self._producer()}, regions=[body])
        return Module(self._version, op, self._preview, self._layout(numbers))

    def _layout(self, debug_numbers: list[int]) -> Layout:
        tables = self._tables
        used = [number for number in debug_numbers if number]
        if used != list(range(1, len(self._debug_lists) + 1)):
            raise InputError("FT205", "the kernels do not use the debug lists in order")
        return Layout(
            strings=tables.text.all(),
            types=tables.type.all(),
            constants=tables.constant.all(),
            records=tables.record.all(),
            sections=tuple(
                Section(number, section.alignment, tail=self._tails.get(number, b""))
                for number, section in self._sections.items()
            ),
            debug_numbers=tuple(debug_numbers),
        )

    def _reader(self, number: int) -> Reader | None:
        section = self._sections.get(number)
        return Reader(self._data, section.start, section.end) if section else None

    def _table(self, number: int, width: int) -> list[bytes]:
        reader = self._reader(number)
        return read_table(reader, width, reader.position) if reader else []

    def _finish(self, number: int, reader: Reader) -> None:
        tail = reader.take(reader.left)
        if tail.strip(b"\xcb") or len(tail) >= max(self._sections[number].alignment, 2):
            raise InputError("FT204", f"{len(tail)} bytes follow the content of a section")
        self._tails[number] = tail

    def _debug(self) -> tuple[list[list[int]], list[bytes]]:
        reader = self._reader(DEBUG)
        if reader is None:
            return [], []
        base = reader.position
        number = reader.count(4)
        reader.skip_padding(4, base)
        starts = [reader.fixed(4) for _ in range(number)]
        total = reader.count(8)
        reader.skip_padding(8, base)
        numbers = [reader.fixed(8) for _ in range(total)]
        edges = [*starts, total]
        lists = [numbers[first:last] for first, last in pairwise(edges)]
        if edges[0] or any(not ids for ids in lists) or sum(map(len, lists)) != total:
            raise InputError("FT204", "the debug lists of kernels are out of order")
        return lists, read_table(reader, 4, base)

    def _producer(self) -> str | None:
        reader = self._reader(PRODUCER)
        if reader is None:
            return None
        name = self._tables.text(reader.varint())
        self._finish(PRODUCER, reader)
        return name

    def _globals(self) -> Iterator[Operation]:
        reader = self._reader(GLOBAL)
        if reader is None:
            return
        tables = self._tables
        for _ in range(reader.count(4)):
            name, kind = tables.text(reader.varint()), tables.type(reader.varint())
            value, alignment = tables.constant(reader.varint()), reader.varint()
            visibility, constant = SymbolVisibility.Public, False
            if self._version >= VISIBILITY_SINCE:
                visibility, constant = _visibility(reader.varint()), bool(_flag(reader.varint()))
            op = make("global", attributes={"sym_name": name})
            op.properties["value"] = value
            more = {"alignment": alignment, "constant": constant, "symbol_visibility": visibility}
            op.properties.update({key: wrap(item) for key, item in more.items()})
            op.attributes["type"] = wrap(kind)
            yield op
        self._finish(GLOBAL, reader)

    def _entries(self, debug_numbers: list[int]) -> Iterator[Operation]:
        reader = self._reader(FUNCTION)
        if reader is None:
            return
        for _ in range(reader.count(5)):
            yield self._entry(reader, debug_numbers)
        self._finish(FUNCTION, reader)

    def _entry(self, reader: Reader, debug_numbers: list[int]) -> Operation:
        tables = self._tables
        name, signature = tables.text(reader.varint()), tables.type(reader.varint())
        if not isinstance(signature, FunctionType):
            raise InputError("FT207", f"kernel `{name}` has the type `{signature}`")
        hinted = self._flags(reader, name)
        debug_numbers.append(reader.varint())
        hints = _hints(read_tagged(reader, tables)) if hinted else None
        arguments = None
        if self._version >= POSITIONAL_SINCE:
            hints = hints or None
            arguments = read_tagged(reader, tables) or None
            if arguments is not None and not isinstance(arguments, tuple):
                raise InputError("FT208", f"argument attributes of `{name}` are no list")
        size = reader.varint()
        start = reader.position
        reader.take(size)
        records = self._records(debug_numbers[-1])
        record = next(records) if records else None
        inside = Reader(self._data, start, reader.position)
        body = BodyReader(inside, tables, self._version, preview=self._preview)
        block = body.kernel(signature.arguments, records)
        attributes = {"sym_name": name, "function_type": signature, "arg_attrs": arguments}
        op = make("entry", attributes={**attributes, "optimization_hints": hints}, regions=[Region(block)])
        locate(op, record)
        return op

    def _flags(self, reader: Reader, name: str) -> bool:
        flags = reader.byte()
        allowed = ENTRY_FLAG if self._version >= POSITIONAL_SINCE else ENTRY_FLAG | HINTS_FLAG
        if not flags & ENTRY_FLAG or flags & ~allowed:
            raise InputError("FT206", f"function `{name}` is no public kernel (flags {flags:#x})")
        return bool(flags & HINTS_FLAG) or self._version >= POSITIONAL_SINCE

    def _records(self, number: int) -> Iterator[Record] | None:
        if not number:
            return None
        if number > len(self._debug_lists):
            raise InputError("FT205", f"debug list {number} is used, but there are {len(self._debug_lists)}")
        return map(self._tables.record_or_none, self._debug_lists[number - 1])


def _hints(value: object) -> object:
    if not isinstance(value, HintsAttr):
        raise InputError("FT208", "the hints of a kernel are no optimization hints")
    return value.hints


def _visibility(number: int) -> SymbolVisibility:
    try:
        return SymbolVisibility(number)
    except ValueError:
        raise InputError("FT208", f"{number} is no visibility") from None


def _flag(number: int) -> int:
    if number > 1:
        raise InputError("FT208", f"{number} is neither true nor false")
    return number
