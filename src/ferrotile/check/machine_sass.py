"""The device code of a cubin as text that depends neither on symbol names nor on the order of parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ferrotile.check.machine_layout import Layout

_WIDTHS = {"8": 1, "U8": 1, "S8": 1, "16": 2, "U16": 2, "S16": 2, "64": 8, "128": 16}
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;?\s*$")
_BANK = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
_INDEXED_BANK = re.compile(r"c\[0x0\]\[U?R\d+")
_BASE_LOAD = re.compile(r"^U?LDCU?\.64 (UR\d+), c\[0x0\]\[(0x[0-9a-f]+)\]$")
_ADD = re.compile(r"^(UIADD3 (UR\d+), UP\d, (?:UPT, UPT, |UPT, )?(UR\d+), )(0x[0-9a-f]+)(, URZ.*)$")
_BLOCK_ADDRESS_OFFSETS = {0x210: 0x198, 0x380: 0x348}
"""Parameter block's offset in the bank -> offset of the word that holds the block's generic address (seen)."""
_SKIPPED = (
    ".target",
    ".elftype",
    "//",
    ".align",
    ".section",
    ".global",
    ".type",
    ".size",
    ".other",
    ".sectionflags",
    ".sectioninfo",
)


@dataclass(frozen=True, slots=True)
class Line:
    """An instruction or a label: `text` is what is compared, `shown` has its address too."""

    text: str
    shown: str
    is_instruction: bool


def plain_names(text: str, kernel: str) -> str:
    """Text with the kernel's name replaced by one that both sides share."""
    return re.sub(rf"(?<![A-Za-z0-9_]){re.escape(kernel)}(?![A-Za-z0-9_])", "kernel", text)


def normalise(text: str, kernel: str, layout: Layout) -> tuple[Line, ...]:
    """The instructions and labels of nvdisasm's output, parameters named by their role."""
    lines: list[Line] = []
    block_addresses: set[str] = set()
    for raw in plain_names(text, kernel).splitlines():
        stripped = raw.strip()
        if not stripped or stripped.startswith(_SKIPPED):
            continue
        if match := _INSTRUCTION.match(raw):
            shown = re.sub(r"\s+", " ", match.group(2))
            text = _named_parameters(_tail_address(shown, layout, block_addresses), layout)
            lines.append(Line(text, f"/*{match.group(1)}*/ {text}", True))
        else:
            block_addresses.clear()
            lines.append(Line(stripped, stripped, False))
    return tuple(lines)


def instruction_count(lines: tuple[Line, ...]) -> int:
    """The number of instructions among the lines."""
    return sum(line.is_instruction for line in lines)


def _named_parameters(line: str, layout: Layout) -> str:
    def name(match: re.Match[str]) -> str:
        offset = int(match.group(1), 16) - layout.base
        if not 0 <= offset < layout.size:
            return match.group(0)
        return f"c[{layout.name(offset, _width(line))}]"

    if _INDEXED_BANK.search(line):
        return f"{line} in {layout.parameters}" if _reaches_parameters(line, layout) else line
    return _BANK.sub(name, line)


def _reaches_parameters(line: str, layout: Layout) -> bool:
    """Whether a load with an index register starts at or after the parameter block: then the order matters."""
    match = re.search(r"c\[0x0\]\[U?R\d+(?:\+(0x[0-9a-f]+))?\]", line)
    return match is None or int(match.group(1) or "0x0", 16) >= layout.base


def _width(line: str) -> int:
    """Units: bytes that the instruction's constant operand covers."""
    operation = line.split()[1] if line.startswith("@") else line.split()[0]
    return max((_WIDTHS[part] for part in operation.split(".")[1:] if part in _WIDTHS), default=4)


def _tail_address(line: str, layout: Layout, block_addresses: set[str]) -> str:
    """Write `block address + constant` (a descriptor's address) relative to the descriptors' start.

    `block_addresses` are the registers that hold the block's address here; a label empties it, so what is
    in it was loaded in the same straight line of code.
    """
    plain = line.split(" &")[0].strip()
    if match := _BASE_LOAD.match(plain):
        block_addresses.discard(match.group(1))
        if int(match.group(2), 16) == _BLOCK_ADDRESS_OFFSETS.get(layout.base):
            block_addresses.add(match.group(1))
        return line
    match = _ADD.match(plain)
    if match and match.group(3) in block_addresses:
        offset = int(match.group(4), 16) - layout.tail
        line = f"{match.group(1)}tail{offset:+#x}{match.group(5)}"
        written = {match.group(2)}
    else:
        written = set(re.findall(r"\bUR\d+", plain.split(",")[0]))
    block_addresses -= written
    return line
