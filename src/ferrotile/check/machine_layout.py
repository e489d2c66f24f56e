"""Where a kernel's parameters lie in constant bank 0, and what its `.nv.info` says besides.

Source: the attribute format that `nvdisasm` prints (EIATTR_*); a parameter block starts at the bank offset of
EIATTR_PARAM_CBANK, each parameter's offset and size stand in EIATTR_KPARAM_INFO, and what the launch code
fills follows them: TMA descriptors (`tail`, aligned to 64 bytes), a pointer to scratch memory (`after`, to 8).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ferrotile.check.machine_elf import Elf
from ferrotile.core import InputError, InternalError, Role

_PARAM_CBANK, _CBANK_PARAM_SIZE, _KPARAM_INFO, _KPARAM_INFO_V2 = 0x0A, 0x19, 0x17, 0x45
_REGCOUNT = 0x2F
_WITH_SYMBOL = {0x11, 0x12, 0x23, _REGCOUNT}  # FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE, REGCOUNT
_SIZED = 4
_TAIL_ALIGNMENT, _POINTER_SIZE = 64, 8


@dataclass(frozen=True, slots=True)
class Attribute:
    """One entry of a `.nv.info` section."""

    form: int
    code: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Parameter:
    """One entry parameter: its role and where it lies, counted from the start of the block."""

    role: Role
    offset: int
    size: int
    flags: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A kernel's parameter block. Units: bytes; `base` is the block's offset in the bank."""

    base: int
    size: int
    parameters: tuple[Parameter, ...]

    @property
    def end(self) -> int:
        """The block offset after the last parameter."""
        return max((p.offset + p.size for p in self.parameters), default=0)

    @property
    def tail(self) -> int:
        """The block offset of the first descriptor, whose place in the bank is aligned."""
        return -(-(self.base + self.end) // _TAIL_ALIGNMENT) * _TAIL_ALIGNMENT - self.base

    def describe_size(self, size: int) -> str:
        """A block size told by what it has after the parameters."""
        return "parameters only" if size == self.end else f"up to {self.name(size, 0)}"

    def name(self, offset: int, size: int) -> str:
        """What lies at a block offset, in words that do not depend on the order of the parameters."""
        if offset >= self.tail:
            return f"tail+{offset - self.tail:#x}"
        if offset >= self.end:
            return f"after{offset - -(-self.end // _POINTER_SIZE) * _POINTER_SIZE:+#x}"
        whole = next((p for p in self.parameters if (p.offset, p.size) == (offset, size)), None)
        if whole is not None:
            return str(whole.role)
        pieces = []
        for p in sorted(self.parameters, key=lambda p: p.offset):
            start, stop = max(offset, p.offset), min(offset + size, p.offset + p.size)
            if start < stop:
                pieces.append(f"{p.role}[{start - p.offset}:{stop - p.offset}]@{start - offset}")
        return "{" + ", ".join(pieces) + "}" if pieces else f"gap{offset:#x}"


def read_attributes(data: bytes) -> tuple[Attribute, ...]:
    """Take a `.nv.info` section apart. Raises: FT006."""
    found: list[Attribute] = []
    at = 0
    try:
        while at < len(data):
            form, code, size = struct.unpack_from("<BBH", data, at)
            if form == _SIZED:
                found.append(Attribute(form, code, data[at + 4 : at + 4 + size]))
                at += 4 + size
            else:
                found.append(Attribute(form, code, data[at + 2 : at + 4]))
                at += 4
    except struct.error:
        raise InternalError("FT006", "an `.nv.info` section of a cubin is cut short") from None
    return tuple(found)


def read_layout(attributes: tuple[Attribute, ...], roles: tuple[Role, ...] | None) -> Layout:
    """The parameter block of a kernel. Raises: FT005 when the map has another number of parameters."""
    entries = sorted(_parameter_entries(attributes))
    if roles is None:
        roles = tuple(Role.scalar(k) for k in range(len(entries)))
    if len(roles) != len(entries):
        raise InputError(
            "FT005", f"the parameter map gives {len(roles)} roles, the kernel has {len(entries)} parameters"
        )
    bank = next((a.payload for a in attributes if a.code == _PARAM_CBANK), bytes(8))
    _, base, size = struct.unpack("<IHH", bank[:8])
    return Layout(base, size, tuple(Parameter(role, *entry[1:]) for role, entry in zip(roles, entries, strict=True)))


def describe_attributes(attributes: tuple[Attribute, ...], layout: Layout, elf: Elf, name: str) -> tuple[str, ...]:
    """The attributes as lines that do not depend on symbol names or on the order of parameters."""
    lines: list[str] = []
    for a in attributes:
        if a.code in (_KPARAM_INFO, _KPARAM_INFO_V2):
            continue
        if a.code == _CBANK_PARAM_SIZE and a.form != _SIZED:
            lines.append(f"block: {layout.describe_size(int.from_bytes(a.payload, 'little'))}")
        elif a.code == _PARAM_CBANK:
            lines.append(f"block at {layout.base:#x}: {layout.describe_size(layout.size)}")
        else:
            lines.append(f"attribute {a.code:#04x}: {_payload(a, elf, name)}")
    return tuple(lines)


def differing_parameter(reference: Layout, lowered: Layout) -> tuple[str, str] | None:
    """The first parameter of equal role whose size or flags differ."""
    known = {p.role: p for p in lowered.parameters}
    for p in reference.parameters:
        other = known.get(p.role)
        if other is not None and (p.size, p.flags) != (other.size, other.flags):
            return (
                f"{p.role}: {p.size} bytes, flags {p.flags:#x}",
                f"{other.role}: {other.size} bytes, flags {other.flags:#x}",
            )
    return None


def register_count(attributes: tuple[Attribute, ...]) -> int:
    """The registers a thread needs, from the module-wide `.nv.info`."""
    return next(
        (struct.unpack("<I", a.payload[4:8])[0] for a in attributes if a.code == _REGCOUNT and len(a.payload) == 8), 0
    )


def _parameter_entries(attributes: tuple[Attribute, ...]) -> list[tuple[int, int, int, int]]:
    entries = []
    for a in attributes:
        if a.code == _KPARAM_INFO and len(a.payload) == 12:
            _, ordinal, offset, word = struct.unpack("<IHHI", a.payload)
            entries.append((ordinal, offset, (word >> 18) & 0x3FFF, word & 0x3FFFF))
        elif a.code == _KPARAM_INFO_V2:
            _, ordinal, offset, size = struct.unpack_from("<IHHH", a.payload)
            entries.append((ordinal, offset, size, int.from_bytes(a.payload[10:], "little")))
    return entries


def _payload(a: Attribute, elf: Elf, name: str) -> str:
    if a.code not in _WITH_SYMBOL or len(a.payload) < 4:
        return a.payload.hex()
    (index,) = struct.unpack_from("<I", a.payload)
    symbol = elf.symbols[index].name if index < len(elf.symbols) else f"symbol {index}"
    return f"{'kernel' if symbol == name else symbol} {a.payload[4:].hex()}"
