"""Bytes in and out: bounds-checked reading, variable-length integers, padded tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ferrotile.core import InputError

PADDING = 0xCB
"""The byte that fills gaps before aligned data."""

LONGEST_VARINT = 10
"""Bytes of the longest integer that is written: 64 bits and the sign, seven bits a byte."""


class Reader:
    """A cursor over bytes that never reads past the end.

    Raises: InputError FT203 when the data ends early, FT204 when it is not well formed.
    """

    __slots__ = ("data", "end", "position")

    def __init__(self, data: bytes, position: int = 0, end: int | None = None) -> None:
        self.data = data
        self.position = position
        self.end = len(data) if end is None else end

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return self.end - self.position

    def byte(self) -> int:
        """Read one byte."""
        position = self.position
        if position >= self.end:
            raise cut_short()
        self.position = position + 1
        return self.data[position]

    def take(self, size: int) -> bytes:
        """Read `size` bytes."""
        position = self.position
        if size > self.end - position:
            raise cut_short()
        self.position = position + size
        return self.data[position : position + size]

    def varint(self) -> int:
        """Read an unsigned integer, seven bits a byte, lowest first."""
        position = self.position
        if position >= self.end:
            raise cut_short()
        byte = self.data[position]
        self.position = position + 1
        return byte if byte < 0x80 else self._long_varint(byte & 0x7F)

    def _long_varint(self, value: int) -> int:
        for shift in range(7, 7 * LONGEST_VARINT, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise InputError("FT204", f"an integer at byte {self.position} is longer than 64 bits")

    def signed(self) -> int:
        """Read a signed integer, zigzag in a varint."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def fixed(self, width: int, *, signed: bool = False) -> int:
        """Read a little-endian integer of `width` bytes."""
        return int.from_bytes(self.take(width), "little", signed=signed)

    def count(self, each: int = 1) -> int:
        """Read a number of items of at least `each` bytes, refused if the data cannot hold them."""
        number = self.varint()
        if number * each > self.end - self.position:
            raise InputError("FT203", f"{number} items announced where {self.left} bytes are left")
        return number

    def fixed_list(self, width: int) -> tuple[int, ...]:
        """Read a counted list of signed little-endian integers."""
        return tuple(self.fixed(width, signed=True) for _ in range(self.count(width)))

    def skip_padding(self, alignment: int, base: int = 0) -> None:
        """Skip to a multiple of `alignment` from `base`; the gap must hold padding bytes."""
        gap = self.take(-(self.position - base) % alignment)
        if gap.strip(bytes([PADDING])):
            raise InputError("FT204", f"the gap before byte {self.position} does not hold padding")


def cut_short() -> InputError:
    """The error for data that ends too early."""
    return InputError("FT203", "the bytecode ends in the middle of a record", hint="is the file complete?")


def put_varint(buffer: bytearray, value: int) -> None:
    """Append an unsigned integer, seven bits a byte, lowest first."""
    while value >= 0x80:
        buffer.append(value & 0x7F | 0x80)
        value >>= 7
    buffer.append(value)


def put_signed(buffer: bytearray, value: int) -> None:
    """Append a signed integer, zigzag in a varint."""
    put_varint(buffer, value << 1 if value >= 0 else ~(value << 1))


def put_fixed_list(buffer: bytearray, values: Sequence[int], width: int) -> None:
    """Append a counted list of signed little-endian integers."""
    put_varint(buffer, len(values))
    for value in values:
        buffer.extend(value.to_bytes(width, "little", signed=True))


def pad(buffer: bytearray, alignment: int) -> None:
    """Append padding up to a multiple of `alignment`."""
    buffer.extend(bytes([PADDING]) * (-len(buffer) % alignment))


def read_table(reader: Reader, width: int, base: int) -> list[bytes]:
    """Read a table up to the end: count, padding (aligned from `base`), offsets of `width` bytes, items end to end."""
    number = reader.varint()
    if number * width > reader.left:
        raise InputError("FT203", f"{number} items announced where {reader.left} bytes are left")
    reader.skip_padding(width, base)
    offsets = [reader.fixed(width) for _ in range(number)]
    start, size = reader.position, reader.left
    edges = [*offsets, size]
    if edges[0] or any(first > last for first, last in pairwise(edges)):
        raise InputError("FT204", "a table's offsets are out of order")
    reader.position = reader.end
    return [reader.data[start + first : start + last] for first, last in pairwise(edges)]


def put_table(buffer: bytearray, items: Sequence[bytes], width: int) -> None:
    """Append a table, see `read_table`; `buffer` starts at the table's section."""
    put_varint(buffer, len(items))
    pad(buffer, width)
    offset = 0
    for item in items:
        buffer.extend(offset.to_bytes(width, "little"))
        offset += len(item)
    for item in items:
        buffer.extend(item)
