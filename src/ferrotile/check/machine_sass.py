"""The device code of a cubin as text that depends neither on symbol names nor on the order of parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ferrotile.check.machine_addresses import block_addresses
from ferrotile.check.machine_layout import Layout

_WIDTHS = {"8": 1, "U8": 1, "S8": 1, "16": 2, "U16": 2, "S16": 2, "64": 8, "128": 16}
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;?\s*$")
_BANK = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
_INDEXED_BANK = re.compile(r"c\[0x0\]\[U?R\d+")
_ADD = re.compile(
    r"^((?:@!?U?P\d+ )?U?IADD3 U?R\d+, U?P\d, (?:UPT, UPT, |UPT, )?(U?R\d+)(?:\.reuse)?, )(0x[0-9a-f]+)(, U?RZ.*)$"
)
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
    kept = [raw for raw in plain_names(text, kernel).splitlines() if _is_code(raw)]
    plain = [_plain(raw) for raw in kept]
    known = block_addresses(plain, _BLOCK_ADDRESS_OFFSETS.get(layout.base))
    lines: list[Line] = []
    for raw, here in zip(kept, known, strict=True):
        if match := _INSTRUCTION.match(raw):
            shown = re.sub(r"\s+", " ", match.group(2))
            line = _named_parameters(_tail_address(shown, layout, here), layout)
            lines.append(Line(line, f"/*{match.group(1)}*/ {line}", True))
        else:
            lines.append(Line(raw.strip(), raw.strip(), False))
    return tuple(lines)


def _is_code(raw: str) -> bool:
    stripped = raw.strip()
    return bool(stripped) and not stripped.startswith(_SKIPPED)


def _plain(raw: str) -> str:
    """An instruction without its address and its notes, or a label."""
    match = _INSTRUCTION.match(raw)
    return raw.strip() if match is None else re.sub(r"\s+", " ", match.group(2)).split(" &")[0].strip()


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


def _tail_address(line: str, layout: Layout, addresses: frozenset[str]) -> str:
    """Write `block address + constant` (a descriptor's address) relative to the descriptors' start.

    `addresses` are the registers that hold the block's address here.
    """
    match = _ADD.match(line.split(" &")[0].strip())
    if match is None or match.group(2) not in addresses:
        return line
    return f"{match.group(1)}tail{int(match.group(3), 16) - layout.tail:+#x}{match.group(4)}"
