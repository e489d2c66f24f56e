"""Read 64-bit little-endian ELF files as far as cubins and their embedded launch code need it.

Source: System V ABI, chapter 4 (object files).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ferrotile.core import InternalError

SHT_NOBITS = 8
SHT_SYMTAB = 2
SHT_RELA = 4


@dataclass(frozen=True, slots=True)
class Section:
    """A section: `size` counts also when it has no data in the file (shared memory)."""

    index: int
    name: str
    kind: int
    size: int
    data: bytes
    link: int
    info: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of the symbol table; `section` is an index of a section."""

    name: str
    kind: int
    section: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class Relocation:
    """A place in a section that gets a symbol's address plus `addend`."""

    offset: int
    kind: int
    symbol: Symbol
    addend: int


@dataclass(frozen=True, slots=True)
class Elf:
    """An ELF file taken apart."""

    machine: int
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]

    def section(self, name: str) -> Section | None:
        """The section of that name."""
        return next((section for section in self.sections if section.name == name), None)

    def relocations(self, section: Section) -> tuple[Relocation, ...]:
        """The relocations that apply to a section, by offset."""
        found: list[Relocation] = []
        for table in self.sections:
            if table.kind == SHT_RELA and table.info == section.index:
                for offset, info, addend in struct.iter_unpack("<QQq", table.data):
                    found.append(Relocation(offset, info & 0xFFFFFFFF, self.symbols[info >> 32], addend))
        return tuple(sorted(found, key=lambda relocation: relocation.offset))


def read_elf(data: bytes) -> Elf:
    """Take an ELF file apart. Raises: FT006 when it is not one, or is cut short."""
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError):
        raise InternalError("FT006", "a cubin is not a 64-bit ELF file, or is cut short") from None


def _read(data: bytes) -> Elf:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF header")
    (machine,) = struct.unpack_from("<H", data, 18)
    (table,) = struct.unpack_from("<Q", data, 40)
    entry_size, count, names_index = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + k * entry_size) for k in range(count)]
    names = _content(data, headers[names_index])
    sections = tuple(
        Section(k, _string(names, header[0]), header[1], header[5], _content(data, header), header[6], header[7])
        for k, header in enumerate(headers)
    )
    return Elf(machine, sections, _symbols(sections))


def _content(data: bytes, header: tuple[int, ...]) -> bytes:
    kind, offset, size = header[1], header[4], header[5]
    if kind in (0, SHT_NOBITS):
        return b""
    if offset + size > len(data):
        raise ValueError("section past the end of the file")
    return data[offset : offset + size]


def _symbols(sections: tuple[Section, ...]) -> tuple[Symbol, ...]:
    table = next((section for section in sections if section.kind == SHT_SYMTAB), None)
    if table is None:
        return ()
    names = sections[table.link].data
    return tuple(
        Symbol(_string(names, name), info & 15, section, value, size)
        for name, info, _, section, value, size in struct.iter_unpack("<IBBHQQ", table.data)
    )


def _string(table: bytes, offset: int) -> str:
    return table[offset : table.index(b"\0", offset)].decode()
