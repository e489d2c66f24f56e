"""The launch code that tileiras embeds in `.nv.host`: the same functions and tables on both sides?

The section is an x86-64 object file: one function per kernel that fills TMA descriptors when arguments
change, one that is called when the module is loaded, and tables that name them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import capstone

from ferrotile.check.machine_elf import Elf, Section, Symbol, read_elf
from ferrotile.check.machine_formula import CannotRun, first_difference
from ferrotile.check.machine_layout import Layout
from ferrotile.check.machine_x86 import meaning

_X86_64 = 62
_FUNCTION = 2
_ARGUMENTS_CHANGE = "__CUDA_TILEIR_FUNC_ON_ARGUMENTS_CHANGE"
_TABLES = (".lrodata", ".rodata", ".data.rel.ro", ".ldata", ".data", ".lbss", ".bss")


@dataclass(frozen=True, slots=True)
class HostDifference:
    """What differs in the launch code, as text of either side."""

    what: str
    reference: str
    lowered: str


def compare_host(
    reference: Section | None, lowered: Section | None, names: tuple[str, str], layouts: tuple[Layout, Layout]
) -> HostDifference | None:
    """The first difference of the launch code of two cubins, or None."""
    if reference is None or lowered is None:
        missing = reference is None and lowered is None
        return None if missing else HostDifference("launch code", _presence(reference), _presence(lowered))
    ours, theirs = read_elf(reference.data), read_elf(lowered.data)
    if ours.machine != theirs.machine:
        return HostDifference("host architecture", str(ours.machine), str(theirs.machine))
    return _functions(ours, theirs, layouts) or _tables(ours, theirs, names)


def _functions(reference: Elf, lowered: Elf, layouts: tuple[Layout, Layout]) -> HostDifference | None:
    ours, theirs = _by_name(reference), _by_name(lowered)
    if ours.keys() != theirs.keys():
        return HostDifference("launch functions", ", ".join(sorted(ours)), ", ".join(sorted(theirs)))
    for name in sorted(ours):
        a, b = (_code(elf, table[name]) for elf, table in ((reference, ours), (lowered, theirs)))
        same_parameters = layouts[0].parameters == layouts[1].parameters
        if a == b and (same_parameters or not name.startswith(_ARGUMENTS_CHANGE)):
            continue
        is_plain = reference.machine == _X86_64 and not a[1] and not b[1]
        if is_plain and name.startswith(_ARGUMENTS_CHANGE):
            try:
                computed = tuple(
                    meaning(code, _block_name(layout)) for code, layout in zip((a[0], b[0]), layouts, strict=True)
                )
            except CannotRun:
                computed = None
            if computed is not None and computed[0] == computed[1]:
                continue
            if computed is not None and (shown := first_difference(*computed)) is not None:
                return HostDifference(f"launch function `{name}`", *shown)
        return _first_line(name, a[0], b[0], reference.machine)
    return None


def _block_name(layout: Layout) -> Callable[[int, int], str]:
    return lambda offset, size: layout.name(offset, size) if offset >= 0 else f"before{offset:#x}"


def _tables(reference: Elf, lowered: Elf, names: tuple[str, str]) -> HostDifference | None:
    for name in _TABLES:
        a, b = (_table(elf, name, kernel) for elf, kernel in ((reference, names[0]), (lowered, names[1])))
        if a != b:
            return HostDifference(f"launch table `{name}`", str(a), str(b))
    return None


def _table(elf: Elf, name: str, kernel: str) -> Any:
    section = elf.section(name)
    if section is None:
        return None
    data = section.data.replace(kernel.encode() + b"\0", b"kernel\0")
    size = section.size if not section.data else len(data)
    return size, data.hex(), tuple((r.offset, r.kind, _aim(elf, r.symbol, r.addend)) for r in elf.relocations(section))


def _by_name(elf: Elf) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in elf.symbols if symbol.kind == _FUNCTION}


def _code(elf: Elf, symbol: Symbol) -> tuple[bytes, Any]:
    """A function's bytes and its relocations, both counted from the function's start."""
    section = elf.sections[symbol.section]
    end = symbol.value + symbol.size
    relocations = tuple(
        (r.offset - symbol.value, r.kind, _aim(elf, r.symbol, r.addend))
        for r in elf.relocations(section)
        if symbol.value <= r.offset < end
    )
    return section.data[symbol.value : end], relocations


def _aim(elf: Elf, symbol: Symbol, addend: int) -> str:
    """What a relocation points to; a place in a code section is told by function, since functions move."""
    if symbol.name and symbol.kind != _FUNCTION:
        return f"{symbol.name}+{addend:#x}"
    at = symbol.value + addend
    for function in _by_name(elf).values():
        if function.section == symbol.section and function.value <= at < function.value + function.size:
            return f"{function.name}+{at - function.value:#x}"
    name = elf.sections[symbol.section].name if symbol.section < len(elf.sections) else str(symbol.section)
    return f"{name}+{at:#x}"


def _first_line(name: str, a: bytes, b: bytes, machine: int) -> HostDifference:
    if machine != _X86_64:
        return HostDifference(f"launch function `{name}`", f"{len(a)} bytes", f"{len(b)} bytes")
    ours, theirs = _listing(a), _listing(b)
    for left, right in zip(ours, theirs, strict=False):
        if left != right:
            return HostDifference(f"launch function `{name}`", left, right)
    return HostDifference(f"launch function `{name}`", f"{len(ours)} instructions", f"{len(theirs)} instructions")


def _listing(code: bytes) -> list[str]:
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    return [f"{i.mnemonic} {i.op_str}".strip() for i in decoder.disasm(code, 0)]


def _presence(section: Section | None) -> str:
    return "absent" if section is None else f"{section.size} bytes"
