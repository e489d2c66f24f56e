"""A module to bytecode.

Source: cuda.tile 1.7.0 `_bytecode/writer.py`.
"""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from ferrotile.core import InputError
from ferrotile.ir import debug
from ferrotile.ir.access import attribute
from ferrotile.ir.attrcodec import write_tagged
from ferrotile.ir.attributes import AttributeValue, HintsAttr
from ferrotile.ir.binary import pad, put_table, put_varint
from ferrotile.ir.body import text
from ferrotile.ir.bodywriter import BodyWriter
from ferrotile.ir.enums import SymbolVisibility
from ferrotile.ir.module import Layout, Module
from ferrotile.ir.sections import (
    CONSTANT,
    DEBUG,
    DEFAULT_ORDER,
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
    put_section,
    write_header,
)
from ferrotile.ir.spec import VERSIONS, Version
from ferrotile.ir.tables import Numbering, write_constant
from ferrotile.ir.typecodec import write_type
from ferrotile.ir.types import FunctionType, ScalarType, TileIrType

PREDEFINED = (ScalarType("i1"), ScalarType("i32"))
"""The types that cuda.tile puts first in every type table."""

PRODUCER_SINCE: Version = (13, 3)


def encode(module: Module, version: Version | None = None) -> bytes:
    """Encode a module, at its own bytecode version or another.

    An unchanged decoded module gives back its bytes; a module built by hand is laid out as cuda.tile does it.

    Raises: InputError FT210 to FT212 for what the version does not have.
    """
    version = version or module.version
    if version not in VERSIONS:
        raise InputError("FT201", f"ferrotile does not write bytecode {text(version)}")
    layout = module.layout if version == module.version else None
    return _Encoder(module, version, layout).bytes()


class TableWriter:
    """Numbers for everything that operations refer to."""

    def __init__(self, version: Version, layout: Layout | None) -> None:
        self._version = version
        known = layout or Layout(types=PREDEFINED)
        self.strings: Numbering[str] = Numbering(known.strings)
        self.types: Numbering[TileIrType] = Numbering(known.types)
        self.constants: Numbering[AttributeValue] = Numbering(known.constants, key=lambda value: value.data)
        self.records: Numbering[debug.Record] = Numbering(known.records)

    def text_id(self, item: str) -> int:
        """The number of a string."""
        return self.strings(item)

    def type_id(self, item: TileIrType) -> int:
        """The number of a type; the types that it contains get theirs first."""
        if self.types.find(item) is None:
            self.write_type(item)
        return self.types(item)

    def constant_id(self, value: AttributeValue) -> int:
        """The number of a constant."""
        return self.constants(value)

    def record_id(self, record: debug.Record) -> int:
        """The number of a debug record, 0 for none; the records that it contains get theirs first."""
        if record is None:
            return 0
        if self.records.find(record) is None:
            self.write_record(record)
        return self.records(record) + 1

    def write_type(self, item: TileIrType) -> bytes:
        """The bytes of a type."""
        return write_type(item, self._version, self)

    def write_record(self, record: debug.Record) -> bytes:
        """The bytes of a debug record."""
        return debug.write_record(record, self._version, self.text_id, self.record_id)


class _Encoder:
    def __init__(self, module: Module, version: Version, layout: Layout | None) -> None:
        self._module = module
        self._version = version
        self._layout = layout
        self._tables = TableWriter(version, layout)
        self._debug_lists: list[list[int]] = []

    def bytes(self) -> bytes:
        """Encode everything."""
        contents = self._contents()
        buffer = bytearray(write_header(self._version, preview=self._module.preview))
        for section in self._order(contents):
            put_section(buffer, section, contents.get(section.number, b"") + section.tail)
        buffer.append(0)
        return bytes(buffer)

    def _contents(self) -> dict[int, bytes]:
        tables = self._tables
        contents = {FUNCTION: self._functions()}
        if self._module.globals:
            contents[GLOBAL] = self._globals()
        producer = attribute(self._module.op, "producer")
        if producer is not None:
            if self._version < PRODUCER_SINCE:
                raise InputError("FT211", f"the producer needs bytecode 13.3, asked for is {text(self._version)}")
            buffer = bytearray()
            put_varint(buffer, tables.text_id(producer))
            contents[PRODUCER] = bytes(buffer)
        contents[DEBUG] = self._debug()
        contents[TYPE] = _table([tables.write_type(item) for item in tables.types.items], 4)
        contents[CONSTANT] = _table([write_constant(value) for value in tables.constants.items], 8)
        contents[STRING] = _table([item.encode() for item in tables.strings.items], 4)
        return contents

    def _order(self, contents: dict[int, bytes]) -> list[Section]:
        if self._layout is None:
            return [Section(number, alignment) for number, alignment in DEFAULT_ORDER if number in contents]
        known = {section.number for section in self._layout.sections}
        empty = self._empty()
        more = [Section(*item) for item in DEFAULT_ORDER if item[0] in contents.keys() - known - empty]
        return [*self._layout.sections, *more]

    def _empty(self) -> set[int]:
        """Sections that may stay away if the decoded bytes did not have them."""
        tables = self._tables
        used = {
            FUNCTION: self._module.entries,
            DEBUG: self._debug_lists,
            TYPE: tables.types.items,
            CONSTANT: tables.constants.items,
            STRING: tables.strings.items,
        }
        return {number for number, items in used.items() if not items}

    def _functions(self) -> bytes:
        entries = self._module.entries
        numbers = self._layout.debug_numbers if self._layout else ()
        buffer = bytearray()
        put_varint(buffer, len(entries))
        for position, entry in enumerate(entries):
            bare = len(numbers) == len(entries) and not numbers[position] and not _has_places(entry)
            self._entry(entry, buffer, bare=bare)
        return bytes(buffer)

    def _entry(self, entry: Operation, buffer: bytearray, *, bare: bool) -> None:
        tables = self._tables
        record = tables.record_id(debug.record(entry))
        put_varint(buffer, tables.text_id(attribute(entry, "sym_name")))
        put_varint(buffer, tables.type_id(cast(FunctionType, attribute(entry, "function_type"))))
        hints = attribute(entry, "optimization_hints")
        arguments = attribute(entry, "arg_attrs")
        positional = self._version >= POSITIONAL_SINCE
        if (arguments is not None and not positional) or attribute(entry, "res_attrs") is not None:
            message = f"attributes of parameters or results need bytecode {text(POSITIONAL_SINCE)}"
            raise InputError("FT211", message, at=debug.place(entry))
        buffer.append(ENTRY_FLAG | (HINTS_FLAG if hints is not None and not positional else 0))
        writer = BodyWriter(tables, self._version, preview=self._module.preview)
        writer.records.append(record)
        if not bare:
            self._debug_lists.append(writer.records)
        put_varint(buffer, 0 if bare else len(self._debug_lists))
        if hints is not None or positional:
            write_tagged(HintsAttr(hints or ()), buffer, tables)
        if positional:
            write_tagged(arguments or (), buffer, tables)
        body = writer.kernel(entry.regions[0].block)
        put_varint(buffer, len(body))
        buffer.extend(body)

    def _globals(self) -> bytes:
        tables = self._tables
        buffer = bytearray()
        put_varint(buffer, len(self._module.globals))
        for op in self._module.globals:
            visibility, constant = attribute(op, "symbol_visibility"), attribute(op, "constant")
            put_varint(buffer, tables.text_id(attribute(op, "sym_name")))
            put_varint(buffer, tables.type_id(attribute(op, "type")))
            put_varint(buffer, tables.constant_id(cast(AttributeValue, op.properties["value"])))
            put_varint(buffer, attribute(op, "alignment"))
            if self._version >= VISIBILITY_SINCE:
                buffer.extend((visibility.value, constant))
            elif constant or visibility is not SymbolVisibility.Public:
                message = f"a constant or private global needs bytecode {text(VISIBILITY_SINCE)}"
                raise InputError("FT211", message, at=debug.place(op))
        return bytes(buffer)

    def _debug(self) -> bytes:
        tables = self._tables
        buffer = bytearray()
        put_varint(buffer, len(self._debug_lists))
        pad(buffer, 4)
        start = 0
        for records in self._debug_lists:
            buffer.extend(start.to_bytes(4, "little"))
            start += len(records)
        put_varint(buffer, start)
        pad(buffer, 8)
        for records in self._debug_lists:
            for number in records:
                buffer.extend(number.to_bytes(8, "little"))
        # Readers of the format refuse an empty table.
        items = tables.records.items or [debug.Unknown()]
        put_table(buffer, [tables.write_record(item) for item in items], 4)
        return bytes(buffer)


def _table(items: list[bytes], width: int) -> bytes:
    buffer = bytearray()
    put_table(buffer, items, width)
    return bytes(buffer)


def _has_places(entry: Operation) -> bool:
    return any(debug.record(op) is not None for op in entry.walk())
