"""The tables of a module that operations refer to by number: strings, types, constants, debug records."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from ferrotile.core import InputError
from ferrotile.ir.attributes import AttributeValue
from ferrotile.ir.binary import Reader, put_varint
from ferrotile.ir.debug import Record, read_record
from ferrotile.ir.spec import Version
from ferrotile.ir.typecodec import read_type
from ferrotile.ir.types import TileIrType

Item = TypeVar("Item")


class LazyTable(Generic[Item]):
    """A table whose items may refer to one another; each is decoded once, at first use.

    Raises: InputError FT205 for a number without an item, FT209 for items that contain themselves.
    """

    def __init__(self, what: str, raw: Sequence[bytes], read: Callable[[bytes], Item]) -> None:
        self._what = what
        self._raw = raw
        self._read = read
        self._items: list[Item | None] = [None] * len(raw)
        self._open: set[int] = set()

    def __call__(self, index: int) -> Item:
        if index >= len(self._raw):
            raise InputError("FT205", f"{self._what} {index} is used, but there are {len(self._raw)}")
        found = self._items[index]
        return self._decode(index) if found is None else found

    def _decode(self, index: int) -> Item:
        if index in self._open or len(self._open) > 500:
            raise InputError("FT209", f"{self._what} {index} contains itself or is nested too deep")
        self._open.add(index)
        item = self._read(self._raw[index])
        self._open.discard(index)
        self._items[index] = item
        return item

    def all(self) -> tuple[Item, ...]:
        """Every item, in order."""
        return tuple(self(index) for index in range(len(self._raw)))


class Tables:
    """The tables of one module while it is decoded."""

    def __init__(self, version: Version, strings: Sequence[bytes], constants: Sequence[bytes]) -> None:
        self.version = version
        self.text: LazyTable[str] = LazyTable("string", strings, _read_text)
        self.constant: LazyTable[AttributeValue] = LazyTable("constant", constants, _read_constant)
        self.type: LazyTable[TileIrType] = LazyTable("type", (), lambda raw: self._read_type(raw))
        self.record: LazyTable[Record] = LazyTable("debug record", (), self._read_record)

    def fill(self, types: Sequence[bytes], records: Sequence[bytes]) -> None:
        """Add the tables whose items refer to other items."""
        self.type = LazyTable("type", types, self._read_type)
        self.record = LazyTable("debug record", records, self._read_record)

    def _read_type(self, raw: bytes) -> TileIrType:
        return read_type(raw, self.version, self.type)

    def _read_record(self, raw: bytes) -> Record:
        return read_record(raw, self.version, self.text, self.record_or_none)

    def record_or_none(self, number: int) -> Record:
        """The debug record with this number; 0 is none."""
        return self.record(number - 1) if number else None


def _read_text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("FT214", "a string of the bytecode is not UTF-8") from None


def _read_constant(raw: bytes) -> AttributeValue:
    reader = Reader(raw)
    value = AttributeValue(reader.take(reader.varint()))
    if reader.left:
        raise InputError("FT204", f"{reader.left} bytes follow a constant")
    return value


def write_constant(value: AttributeValue) -> bytes:
    """One entry of the constant table."""
    buffer = bytearray()
    put_varint(buffer, len(value.data))
    return bytes(buffer) + value.data


class Numbering(Generic[Item]):
    """Numbers for the items of a table that is being written.

    The very object that a decoded table held keeps its number; else an equal item; else a new number at the end.
    """

    def __init__(self, items: Sequence[Item] = (), key: Callable[[Item], Hashable] = lambda item: item) -> None:  # pyright: ignore[reportArgumentType]
        self.items: list[Item] = []
        self._key = key
        self._by_identity: dict[int, int] = {}
        self._by_value: dict[Hashable, int] = {}
        for item in items:
            self._append(item)

    def _append(self, item: Item) -> int:
        number = len(self.items)
        self.items.append(item)
        self._by_identity.setdefault(id(item), number)
        self._by_value.setdefault(self._key(item), number)
        return number

    def find(self, item: Item) -> int | None:
        """The number of an item, if it has one."""
        number = self._by_identity.get(id(item))
        if number is not None and self.items[number] is item:
            return number
        return self._by_value.get(self._key(item))

    def __call__(self, item: Item) -> int:
        """The number of an item, given now if it had none."""
        number = self.find(item)
        return self._append(item) if number is None else number
