"""The outer form of a bytecode file: header and sections.

Source: cuda.tile 1.7.0 `_bytecode/writer.py`; cutile-ir 0.5.0 `bytecode/enums.rs` (producer section, flags).
"""

from __future__ import annotations

from dataclasses import dataclass

from ferrotile.core import InputError
from ferrotile.ir.binary import Reader, pad, put_varint
from ferrotile.ir.spec import FIRST, NEWEST, VERSIONS, Version

MAGIC = b"\x7fTileIR\x00"
END, STRING, FUNCTION, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = range(8)
NAMES = ("end", "string", "function", "debug", "constant", "type", "global", "producer")

ENTRY_FLAG = 0x02
HINTS_FLAG = 0x04
POSITIONAL_SINCE: Version = (13, 5)
"""From which version entry hints and argument attributes are always written, without a flag."""
VISIBILITY_SINCE: Version = (13, 3)
"""From which version globals carry visibility and constness."""

DEFAULT_ORDER = (
    (FUNCTION, 8), (GLOBAL, 1), (CONSTANT, 8), (DEBUG, 8), (TYPE, 4), (STRING, 4), (PRODUCER, 1),
)  # fmt: skip
"""Sections and their alignment as cuda.tile writes them; cutile puts the producer last."""

LARGEST_ALIGNMENT = 4096


@dataclass(frozen=True)
class Section:
    """A section: its number, alignment, where its content lies in the file, and bytes after the content."""

    number: int
    alignment: int
    start: int = 0
    end: int = 0
    tail: bytes = b""


def read_header(reader: Reader) -> tuple[Version, bool]:
    """Read magic and version; the second value says whether preview operations may occur.

    Raises: InputError FT200 for anything that is not Tile IR bytecode, FT201 for another version.
    """
    data = reader.data
    if not data:
        raise InputError("FT200", "the file is empty", hint="give a `.tileirbc` file")
    if not data.startswith(MAGIC):
        what = "text" if _is_text(data) else "not Tile IR bytecode"
        hint = "bytecode starts with the bytes 7f 54 69 6c 65 49 52 00"
        if _is_text(data):
            hint = "Tile IR text must be assembled to bytecode first; a kernel in Python is written `file.py::kernel`"
        raise InputError("FT200", f"the file is {what}", hint=hint)
    reader.take(len(MAGIC))
    version = (reader.byte(), reader.byte())
    tag = reader.fixed(2)
    if version not in VERSIONS or tag > 1:
        newest = f"{NEWEST[0]}.{NEWEST[1]}"
        named = f"{version[0]}.{version[1]}" + (f".{tag}" if tag > 1 else "")
        age = "newer than" if version > NEWEST else "not in"
        raise InputError(
            "FT201", f"bytecode {named} is {age} the versions {FIRST[0]}.{FIRST[1]} to {newest} that ferrotile reads"
        )
    return version, bool(tag)


def _is_text(data: bytes) -> bool:
    head = data[:512]
    return b"\x00" not in head and sum(byte < 32 and byte not in b"\t\n\r\f" for byte in head) == 0


def write_header(version: Version, *, preview: bool) -> bytes:
    """The bytes before the first section."""
    return MAGIC + bytes((*version, int(preview), 0))


def read_sections(reader: Reader) -> dict[int, Section]:
    """Read section headers up to the end mark, in the order of the file.

    Raises: InputError FT203, FT204.
    """
    found: dict[int, Section] = {}
    while head := reader.byte():
        number, aligned = head & 0x7F, head & 0x80
        if number >= len(NAMES) or number in found or number == END:
            raise InputError("FT204", f"section {number} is unknown or stands twice")
        size = reader.varint()
        alignment = reader.varint() if aligned else 1
        if not 0 < alignment <= LARGEST_ALIGNMENT or alignment & (alignment - 1):
            raise InputError("FT204", f"{alignment} is no alignment of a section")
        reader.skip_padding(alignment)
        start = reader.position
        reader.take(size)
        found[number] = Section(number, alignment, start, reader.position)
    if reader.left:
        raise InputError("FT204", f"{reader.left} bytes follow the end mark")
    return found


def put_section(buffer: bytearray, section: Section, content: bytes) -> None:
    """Append a section with its header."""
    buffer.append(section.number | (0x80 if section.alignment > 1 else 0))
    put_varint(buffer, len(content))
    if section.alignment > 1:
        put_varint(buffer, section.alignment)
        pad(buffer, section.alignment)
    buffer.extend(content)
