"""Types to bytes and back: one row a kind of type.

Source: cuda.tile 1.7.0 `_bytecode/type.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ferrotile.core import InputError
from ferrotile.ir import types
from ferrotile.ir.binary import Reader, put_fixed_list, put_varint
from ferrotile.ir.enums import SINCE, PaddingValue, PointerAttribute
from ferrotile.ir.spec import FIRST, Version
from ferrotile.ir.types import TileIrType

DYNAMIC = -(1 << 63)
"""How the bytecode writes an extent or stride that is known only at launch."""

FLAGS_SINCE: dict[str, Version] = {"pointer": (13, 4), "partition": (13, 3)}
"""From which version pointers and tensor views, and partition views, start with a word of flags."""

SCALARS: dict[int, tuple[str, Version]] = {
    0: ("i1", FIRST), 1: ("i8", FIRST), 2: ("i16", FIRST), 3: ("i32", FIRST), 4: ("i64", FIRST),
    5: ("f16", FIRST), 6: ("bf16", FIRST), 7: ("f32", FIRST), 8: ("tf32", FIRST), 9: ("f64", FIRST),
    10: ("f8E4M3FN", FIRST), 11: ("f8E5M2", FIRST), 18: ("f8E8M0FNU", (13, 2)), 19: ("f4E2M1FN", (13, 3)),
    22: ("i4", (13, 3)), 130: ("f8E5M3FNU", (13, 4)),
}  # fmt: skip
"""Number types by tag, with the version that brought them."""

SCALAR_TAGS: dict[str, int] = {name: tag for tag, (name, _) in SCALARS.items()}

Lookup = Callable[[int], TileIrType]


class Table(Protocol):
    """Where a type finds the number of a type that it contains."""

    def type_id(self, item: TileIrType) -> int:
        """The number of this type in the table."""
        ...


def read_type(data: bytes, version: Version, lookup: Lookup) -> TileIrType:
    """Decode one entry of the type table; `lookup` gives the types that it contains.

    Raises: InputError FT203 to FT207.
    """
    reader = Reader(data)
    tag = reader.varint()
    if tag in SCALARS:
        name, since = SCALARS[tag]
        result: TileIrType = types.ScalarType(name)
    elif tag in _READERS:
        read, since = _READERS[tag]
        result = read(reader, version, lookup)
    else:
        raise InputError("FT207", f"unknown type tag {tag}")
    _require(since, version, str(result))
    if reader.left:
        raise InputError("FT204", f"{reader.left} bytes follow the type `{result}`")
    return result


def _require(since: Version, version: Version, what: str) -> None:
    if version < since:
        raise InputError("FT212", f"`{what}` needs bytecode {since[0]}.{since[1]}, this is {version[0]}.{version[1]}")


def _flags(reader: Reader, version: Version, kind: str) -> int:
    flags = reader.varint() if version >= FLAGS_SINCE[kind] else 0
    if flags > 1:
        raise InputError("FT207", f"unknown flags {flags:#x} on a type")
    return flags


def _scalar(lookup: Lookup, index: int) -> types.ScalarType:
    found = lookup(index)
    if not isinstance(found, types.ScalarType):
        raise InputError("FT207", f"`{found}` stands where a number type must stand")
    return found


def _tensor(lookup: Lookup, index: int) -> types.TensorViewType:
    found = lookup(index)
    if not isinstance(found, types.TensorViewType):
        raise InputError("FT207", f"`{found}` stands where a tensor view must stand")
    return found


def _pointer_attribute(reader: Reader, flags: int) -> PointerAttribute | None:
    return _member(PointerAttribute, reader.byte()) if flags else None


def _member(members: type[PointerAttribute], number: int) -> PointerAttribute:
    try:
        return members(number)
    except ValueError:
        raise InputError("FT207", f"unknown pointer attribute {number}") from None


def _padding(reader: Reader, present: int) -> PaddingValue | None:
    if not present:
        return None
    number = reader.varint()
    try:
        return PaddingValue(number)
    except ValueError:
        raise InputError("FT207", f"unknown padding value {number}") from None


def _extents(reader: Reader) -> tuple[int | None, ...]:
    return tuple(None if value == DYNAMIC else value for value in reader.fixed_list(8))


def _read_pointer(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    flags = _flags(reader, version, "pointer")
    pointee = _scalar(lookup, reader.varint())
    return types.PointerType(pointee, _pointer_attribute(reader, flags))


def _read_tile(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    element = lookup(reader.varint())
    if not isinstance(element, types.ScalarType | types.PointerType):
        raise InputError("FT207", f"a tile cannot hold `{element}`")
    return types.TileType(element, reader.fixed_list(8))


def _read_tensor(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    flags = _flags(reader, version, "pointer")
    element = _scalar(lookup, reader.varint())
    shape, strides = _extents(reader), _extents(reader)
    return types.TensorViewType(element, shape, strides, _pointer_attribute(reader, flags))


def _read_partition(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    flags = _flags(reader, version, "partition")
    tile = reader.fixed_list(4)
    tensor = _tensor(lookup, reader.varint())
    dim_map = reader.fixed_list(4)
    if version < FLAGS_SINCE["partition"]:
        flags = reader.varint()
    return types.PartitionViewType(tile, tensor, dim_map, _padding(reader, flags))


def _read_gather(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    flags = _flags(reader, version, "partition")
    tile = reader.fixed_list(4)
    tensor = _tensor(lookup, reader.varint())
    return types.GatherScatterViewType(tile, tensor, reader.varint(), _padding(reader, flags))


def _read_strided(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    flags = _flags(reader, version, "partition")
    tile, steps = reader.fixed_list(4), reader.fixed_list(4)
    tensor = _tensor(lookup, reader.varint())
    dim_map = reader.fixed_list(4)
    return types.StridedViewType(tile, steps, tensor, dim_map, _padding(reader, flags))


def _read_function(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    arguments = tuple(lookup(reader.varint()) for _ in range(reader.count()))
    results = tuple(lookup(reader.varint()) for _ in range(reader.count()))
    return types.FunctionType(arguments, results)


def _read_token(reader: Reader, version: Version, lookup: Lookup) -> TileIrType:
    return types.TokenType()


_READERS: dict[int, tuple[Callable[[Reader, Version, Lookup], TileIrType], Version]] = {
    12: (_read_pointer, FIRST),
    13: (_read_tile, FIRST),
    14: (_read_tensor, FIRST),
    15: (_read_partition, FIRST),
    16: (_read_function, FIRST),
    17: (_read_token, FIRST),
    20: (_read_gather, (13, 3)),
    21: (_read_strided, (13, 3)),
}


def write_type(item: TileIrType, version: Version, table: Table) -> bytes:
    """Encode one entry of the type table; `table` numbers the types that it contains.

    Raises: InputError FT212 when the type needs a newer version.
    """
    buffer = bytearray()
    match item:
        case types.ScalarType():
            tag = SCALAR_TAGS[item.name]
            _require(SCALARS[tag][1], version, str(item))
            put_varint(buffer, tag)
        case types.PointerType() | types.TensorViewType():
            _write_addressed(buffer, item, version, table)
        case types.TileType():
            put_varint(buffer, 13)
            put_varint(buffer, table.type_id(item.element))
            put_fixed_list(buffer, item.shape, 8)
        case types.PartitionViewType() | types.GatherScatterViewType() | types.StridedViewType():
            _write_view(buffer, item, version, table)
        case types.FunctionType():
            put_varint(buffer, 16)
            for group in (item.arguments, item.results):
                put_varint(buffer, len(group))
                for member in group:
                    put_varint(buffer, table.type_id(member))
        case _:
            put_varint(buffer, 17)
    return bytes(buffer)


def _write_addressed(
    buffer: bytearray, item: types.PointerType | types.TensorViewType, version: Version, table: Table
) -> None:
    is_pointer = isinstance(item, types.PointerType)
    put_varint(buffer, 12 if is_pointer else 14)
    if item.attribute is not None:
        _require(SINCE.get(item.attribute, FLAGS_SINCE["pointer"]), version, str(item))
    if version >= FLAGS_SINCE["pointer"]:
        put_varint(buffer, int(item.attribute is not None))
    if is_pointer:
        put_varint(buffer, table.type_id(item.pointee))
    else:
        put_varint(buffer, table.type_id(item.element))
        for extents in (item.shape, item.strides):
            put_fixed_list(buffer, [DYNAMIC if value is None else value for value in extents], 8)
    if item.attribute is not None:
        buffer.append(item.attribute.value)


def _write_view(buffer: bytearray, item: types.ViewType, version: Version, table: Table) -> None:
    tags = {types.PartitionViewType: 15, types.GatherScatterViewType: 20, types.StridedViewType: 21}
    tag = tags[type(item)]
    put_varint(buffer, tag)
    if tag in _READERS:
        _require(_READERS[tag][1], version, str(item))
    flagged = version >= FLAGS_SINCE["partition"]
    if flagged:
        put_varint(buffer, int(item.padding is not None))
    put_fixed_list(buffer, item.tile_shape, 4)
    if isinstance(item, types.StridedViewType):
        put_fixed_list(buffer, item.traversal_strides, 4)
    put_varint(buffer, table.type_id(item.tensor_view))
    if isinstance(item, types.GatherScatterViewType):
        put_varint(buffer, item.sparse_dim)
    else:
        put_fixed_list(buffer, item.dim_map, 4)
    if not flagged:
        put_varint(buffer, int(item.padding is not None))
    if item.padding is not None:
        buffer.append(item.padding.value)
