"""Attribute values to bytes and back: one reader and one writer a kind of field.

Source: cuda.tile 1.7.0 `_bytecode/attribute.py`, `code_builder.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol, cast

from ferrotile.core import InputError
from ferrotile.ir import attributes as a
from ferrotile.ir.access import wrap
from ferrotile.ir.binary import Reader, put_fixed_list, put_signed, put_varint
from ferrotile.ir.spec import Field, Kind
from ferrotile.ir.types import ScalarType, TileIrType

DEEPEST = 64
"""Nesting of attributes beyond which bytecode is refused."""


class Source(Protocol):
    """The tables that decoded attributes refer to."""

    def text(self, index: int) -> str: ...
    def type(self, index: int) -> TileIrType: ...
    def constant(self, index: int) -> a.AttributeValue: ...


class Sink(Protocol):
    """The tables that encoded attributes refer to."""

    def text_id(self, item: str) -> int: ...
    def type_id(self, item: TileIrType) -> int: ...
    def constant_id(self, value: a.AttributeValue) -> int: ...


def read_field(item: Field, reader: Reader, source: Source) -> a.AttributeValue:
    """Read the value of one attribute, as an xDSL attribute."""
    if item.kind is Kind.CONSTANT:
        return source.constant(reader.varint())
    return wrap(_read_enum(item.enum, reader) if item.enum else _READ[item.kind](reader, source))


def _read_enum(members: type[Enum], reader: Reader) -> Enum:
    number = reader.varint()
    try:
        return members(number)
    except ValueError:
        raise InputError("FT208", f"{number} is no value of `{members.__name__}`") from None


def _read_bool(reader: Reader, source: Source | None = None) -> bool:
    number = reader.byte()
    if number > 1:
        raise InputError("FT208", f"{number} is neither true nor false")
    return bool(number)


def _read_bools(reader: Reader, source: Source) -> tuple[bool, ...]:
    return tuple(_read_bool(reader) for _ in range(reader.count()))


def _read_hints(reader: Reader, source: Source, depth: int = 0) -> a.Hints:
    items = _read_items(reader, source, depth)
    if not all(isinstance(value, a.DictAttr) for _, value in items):
        raise InputError("FT208", "an optimization hint is not a dictionary by architecture")
    return tuple((arch, tuple((key, _plain(value)) for key, value in group.items)) for arch, group in items)


def _plain(value: object) -> object:
    if isinstance(value, a.IntAttr) and value.type == a.I32 and not value.wide:
        return value.value
    return value


def _read_items(reader: Reader, source: Source, depth: int) -> tuple[tuple[str, Any], ...]:
    number = reader.count(2)
    return tuple((source.text(reader.varint()), read_tagged(reader, source, depth + 1)) for _ in range(number))


def _read_array(reader: Reader, source: Source, depth: int = 0) -> tuple[Any, ...]:
    return tuple(read_tagged(reader, source, depth + 1) for _ in range(reader.count()))


_READ: dict[Kind, Callable[[Reader, Source], Any]] = {
    Kind.BOOL: _read_bool,
    Kind.INT: lambda reader, source: reader.varint(),
    Kind.STR: lambda reader, source: source.text(reader.varint()),
    Kind.TYPE: lambda reader, source: source.type(reader.varint()),
    Kind.ARRAY: _read_array,
    Kind.TAGGED: lambda reader, source: read_tagged(reader, source),
    Kind.INT32S: lambda reader, source: reader.fixed_list(4),
    Kind.BOOLS: _read_bools,
    Kind.HINTS: _read_hints,
}


def read_tagged(reader: Reader, source: Source, depth: int = 0) -> Any:
    """Read an attribute that says itself what it is.

    Raises: InputError FT203 to FT209.
    """
    if depth > DEEPEST:
        raise InputError("FT209", f"attributes are nested more than {DEEPEST} deep")
    tag = reader.varint()
    if tag in _TAGGED_DEEP:
        return _TAGGED_DEEP[tag](reader, source, depth)
    if tag not in _TAGGED:
        raise InputError("FT208", f"unknown attribute tag {tag}")
    return _TAGGED[tag](reader, source)


def _number_type(reader: Reader, source: Source) -> ScalarType:
    found = source.type(reader.varint())
    if not isinstance(found, ScalarType):
        raise InputError("FT208", f"a number attribute has the type `{found}`")
    return found


def _read_int(reader: Reader, source: Source) -> a.IntAttr:
    kind = _number_type(reader, source)
    raw = reader.varint()
    value = raw & ((1 << kind.bits) - 1)
    if kind.bits > 1 and value >> (kind.bits - 1):
        value -= 1 << kind.bits
    wide = raw >= 1 << kind.bits
    if wide and raw != value & ((1 << 64) - 1):
        raise InputError("FT208", f"the integer {raw} does not fit `{kind}`")
    return a.IntAttr(kind, value, wide)


def _read_float(reader: Reader, source: Source) -> a.FloatAttr:
    kind = _number_type(reader, source)
    if kind.bits <= 8:
        return a.FloatAttr(kind, reader.byte())
    raw = reader.varint()
    word = raw & ((1 << 64) - 1)
    wide = word != raw
    bits = ((word >> 1) ^ -(word & 1)) & ((1 << 64) - 1)
    if bits >= 1 << kind.bits or raw >> 65:
        raise InputError("FT208", f"the float bits {bits:#x} do not fit `{kind}`")
    return a.FloatAttr(kind, bits, wide)


def _read_optional_pair(reader: Reader) -> tuple[int | None, int | None]:
    flags = reader.byte()
    if flags > 3:
        raise InputError("FT208", f"unknown flags {flags:#x} on an assumption")
    first = reader.signed() if flags & 1 else None
    return first, reader.signed() if flags & 2 else None


def _read_dense(reader: Reader, source: Source) -> a.DenseAttr:
    return a.DenseAttr(source.type(reader.varint()), source.constant(reader.varint()).data)


_TAGGED: dict[int, Callable[[Reader, Source], Any]] = {
    1: _read_int,
    2: _read_float,
    3: _read_bool,
    4: lambda reader, source: source.type(reader.varint()),
    5: lambda reader, source: source.text(reader.varint()),
    7: _read_dense,
    8: lambda reader, source: a.DivBy(reader.varint(), *_read_optional_pair(reader)),
    9: lambda reader, source: a.SameElements(reader.fixed_list(8)),
    12: lambda reader, source: a.Bounded(*_read_optional_pair(reader)),
    0xD1: lambda reader, source: a.PreviewInt(reader.signed()),
    0xDB: lambda reader, source: a.PreviewType(source.type(reader.varint())),
    0xE4: lambda reader, source: a.PreviewStr(source.text(reader.varint())),
}
_TAGGED_DEEP: dict[int, Callable[[Reader, Source, int], Any]] = {
    6: _read_array,
    10: lambda reader, source, depth: a.DictAttr(_read_items(reader, source, depth)),
    11: lambda reader, source, depth: a.HintsAttr(_read_hints(reader, source, depth)),
}


def write_field(item: Field, value: a.AttributeValue, buffer: bytearray, sink: Sink) -> None:
    """Write the value of one attribute."""
    data = value.data
    match item.kind:
        case Kind.CONSTANT:
            put_varint(buffer, sink.constant_id(value))
        case Kind.ENUM:
            put_varint(buffer, data.value)
        case Kind.BOOL:
            buffer.append(data)
        case Kind.INT:
            put_varint(buffer, data)
        case Kind.STR:
            put_varint(buffer, sink.text_id(data))
        case Kind.TYPE:
            put_varint(buffer, sink.type_id(data))
        case Kind.INT32S:
            put_fixed_list(buffer, data, 4)
        case Kind.BOOLS:
            put_fixed_list(buffer, data, 1)
        case _:
            _write_nested(item.kind, data, buffer, sink)


def _write_nested(kind: Kind, data: Any, buffer: bytearray, sink: Sink) -> None:
    if kind is Kind.TAGGED:
        write_tagged(data, buffer, sink)
    elif kind is Kind.HINTS:
        _write_hints(data, buffer, sink)
    else:
        put_varint(buffer, len(data))
        for member in data:
            write_tagged(member, buffer, sink)


def _write_hints(hints: a.Hints, buffer: bytearray, sink: Sink) -> None:
    put_varint(buffer, len(hints))
    for arch, items in hints:
        put_varint(buffer, sink.text_id(arch))
        write_tagged(a.DictAttr(items), buffer, sink)


def write_tagged(value: Any, buffer: bytearray, sink: Sink) -> None:
    """Write an attribute that says itself what it is; a plain int is an i32."""
    match value:
        case bool():
            buffer.extend((3, value))
        case int():
            write_tagged(a.IntAttr(a.I32, value), buffer, sink)
        case str():
            buffer.append(5)
            put_varint(buffer, sink.text_id(value))
        case a.IntAttr() | a.FloatAttr() | a.DenseAttr() | TileIrType():
            _write_typed(value, buffer, sink)
        case tuple():
            buffer.append(6)
            _write_nested(Kind.ARRAY, value, buffer, sink)
        case a.DictAttr():
            buffer.append(10)
            put_varint(buffer, len(value.items))
            for key, member in value.items:
                put_varint(buffer, sink.text_id(key))
                write_tagged(member, buffer, sink)
        case a.HintsAttr():
            buffer.append(11)
            _write_hints(value.hints, buffer, sink)
        case _:
            _write_predicate(value, buffer, sink)


def _write_typed(value: Any, buffer: bytearray, sink: Sink) -> None:
    if isinstance(value, TileIrType):
        buffer.append(4)
        put_varint(buffer, sink.type_id(value))
        return
    tags = {a.IntAttr: 1, a.FloatAttr: 2, a.DenseAttr: 7}
    buffer.append(tags[type(value)])
    put_varint(buffer, sink.type_id(value.type))
    if isinstance(value, a.IntAttr):
        width = 64 if value.wide else cast(ScalarType, value.type).bits
        put_varint(buffer, value.value & ((1 << width) - 1))
    elif isinstance(value, a.DenseAttr):
        put_varint(buffer, sink.constant_id(wrap(value.data)))
    elif value.type.bits <= 8:
        buffer.append(value.bits)
    else:
        bits = value.bits
        put_varint(buffer, ((bits << 1) ^ -(bits >> 63)) & ((1 << 64) - 1) | value.wide << 64)


def _write_predicate(value: Any, buffer: bytearray, sink: Sink) -> None:
    match value:
        case a.DivBy():
            buffer.append(8)
            put_varint(buffer, value.divisor)
            _write_optional_pair(value.every, value.along, buffer)
        case a.SameElements():
            buffer.append(9)
            put_fixed_list(buffer, value.values, 8)
        case a.Bounded():
            buffer.append(12)
            _write_optional_pair(value.lb, value.ub, buffer)
        case a.PreviewInt():
            put_varint(buffer, 0xD1)
            put_signed(buffer, value.value)
        case a.PreviewType():
            put_varint(buffer, 0xDB)
            put_varint(buffer, sink.type_id(value.type))
        case a.PreviewStr():
            put_varint(buffer, 0xE4)
            put_varint(buffer, sink.text_id(value.value))
        case _:
            raise InputError("FT208", f"`{value!r}` is no attribute of Tile IR")


def _write_optional_pair(first: int | None, second: int | None, buffer: bytearray) -> None:
    buffer.append((first is not None) | (second is not None) << 1)
    for value in (first, second):
        if value is not None:
            put_signed(buffer, value)
