"""Words for values and operations, as the sentence of a difference uses them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ferrotile.core import Role
from ferrotile.ir.types import ScalarType

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering

VERBS = {
    "mulf": "multiplies by", "muli": "multiplies by", "addf": "adds", "addi": "adds", "subf": "subtracts",
    "subi": "subtracts", "divf": "divides by", "divi": "divides by", "remi": "takes the remainder by",
    "maxf": "takes the maximum with", "minf": "takes the minimum with", "maxi": "takes the maximum with",
    "mini": "takes the minimum with",
}  # fmt: skip
"""What an operation does with a constant second operand."""

AXES = "xyz"
TRIPLES = {"get_tile_block_id": "block id", "get_num_tile_blocks": "grid size"}


def describe(graph: Numbering, value: int) -> str:
    """A value in a few words."""
    kernel = graph.kernel
    found = kernel.definitions[value]
    node = found.node
    constant = constant_of(graph, value)
    if constant is not None:
        return number_text(*constant)
    if node is None:
        role = graph.roles[found.index]
        return str(role) if isinstance(role, Role) else f"parameter {found.index}"
    if found.is_argument:
        if node.name == "for" and found.index == 0:
            return "the loop index"
        return "a value carried by the loop" if node.name in ("for", "loop") else f"body argument {found.index}"
    if node.name in TRIPLES:
        return f"{TRIPLES[node.name]} {AXES[found.index]}"
    which = f" {found.index}" if len(node.results) > 1 and node.name in ("for", "loop", "if") else ""
    return f"result{which} of `{node.name}`"


def constant_of(graph: Numbering, value: int) -> tuple[ScalarType, bytes] | None:
    """The element that a constant value repeats, if it is one."""
    key = graph.interner.keys[graph.ids[value]]
    if key[0] != "splat":
        return None
    origin = graph.interner.keys[key[1]]
    return (ScalarType(origin[1]), origin[2]) if origin[0] == "constant" else None


def number_text(kind: ScalarType, data: bytes) -> str:
    """A number from its bytes.

    Example:
        >>> number_text(ScalarType("f32"), bytes.fromhex("00000040"))
        '2.0'
    """
    if kind.name == "i1":
        return "true" if data[0] & 1 else "false"
    if kind.is_integer:
        return str(int.from_bytes(data, "little", signed=True))
    match kind.name:
        case "f64":
            return repr(struct.unpack("<d", data)[0])
        case "f32" | "tf32":
            return _short(struct.unpack("<f", data)[0])
        case "bf16":
            return _short(struct.unpack("<f", b"\0\0" + data)[0])
        case "f16":
            return _short(struct.unpack("<e", data)[0])
        case _:
            return f"0x{data[::-1].hex()} ({kind.name})"


def _short(number: float) -> str:
    text = f"{number:.9g}"
    return text if any(mark in text for mark in ".ein") else text + ".0"


def spell(value: object) -> str:
    """An attribute value in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return f"`{name.lower()}`"
    if isinstance(value, tuple):
        return "[" + ", ".join(spell(item) for item in value) + "]"
    if hasattr(value, "bits") and isinstance(getattr(value, "type", None), ScalarType):
        kind: ScalarType = value.type  # type: ignore[attr-defined]
        bits: int = value.bits  # type: ignore[attr-defined]
        return number_text(kind, bits.to_bytes(8, "little")[: max(1, kind.bits // 8)])
    if hasattr(value, "value"):
        return str(value.value)  # type: ignore[attr-defined]
    return f"`{value}`"


def article(name: str) -> str:
    """An operation with its article."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} `{name}`"
