"""What a Rust text says at a place: the call that stands there, its arguments, and the number a literal means.

Only as much Rust as a cuTile kernel has; what is not understood is said to be unknown, never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ferrotile.core.place import Place
from ferrotile.core.rust_source import RustSource
from ferrotile.ir.formats import narrow
from ferrotile.ir.types import ScalarType

_CALL = re.compile(r"\s*(\w+)\s*(?:::\s*<[^()]*?>\s*)?\(")
_NUMBER = re.compile(
    r"(-?)\s*(0x[0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)_?([iu](?:8|16|32|64)|f\w+)?"
)
_NAMED = {"ZERO": 0.0, "ONE": 1.0, "INFINITY": float("inf"), "NEG_INFINITY": float("-inf")}
_TENSOR = re.compile(r"(\w+)\s*:\s*&\s*(?:mut\s+)?Tensor\s*<\s*\w+\s*,\s*\{?\s*\[([-\w\s,]*)\]")


@dataclass(frozen=True, slots=True)
class Call:
    """A function call with the texts of its arguments."""

    function: str
    arguments: tuple[str, ...]


def call_at(source: RustSource, place: Place | None) -> Call | None:
    """The call that begins at a place of the text, if one does."""
    if place is None or place.file != source.file:
        return None
    lines = source.text.splitlines()[place.line - 1 :]
    text = "\n".join([lines[0][place.column :], *lines[1:40]]) if lines else ""
    found = _CALL.match(text)
    if found is None:
        return None
    arguments = _arguments(text[found.end() :])
    return None if arguments is None else Call(found[1], arguments)


def _arguments(text: str) -> tuple[str, ...] | None:
    """Texts between commas up to the bracket that closes; those inside brackets or closures are not split."""
    parts, depth, current, in_closure = [], 0, "", False
    for mark in text:
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            if depth == 0:
                return tuple(part.strip() for part in [*parts, current] if part.strip())
            depth -= 1
        elif mark == "|" and depth == 0:
            in_closure = not in_closure
        if mark == "," and depth == 0 and not in_closure:
            parts.append(current)
            current = ""
        else:
            current += mark
    return None


def literal(text: str) -> float | int | bool | None:
    """The number that a literal, or a named constant such as `f32::ONE`, means in Rust; `None` for anything else.

    Example:
        >>> literal("0xFFu8"), literal("-1.5f32"), literal("i32::ONE"), literal("x")
        (255, -1.5, 1.0, None)
    """
    if text in ("true", "false"):
        return text == "true"
    type_, _, name = text.rpartition("::")
    if type_ and name in _NAMED:
        return _NAMED[name]
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    sign, digits, _ = found.groups()
    digits = digits.replace("_", "")
    number = (
        int(digits, 16) if digits.startswith("0x") else float(digits) if re.search(r"[.eE]", digits) else int(digits)
    )
    return -number if sign else number


def encoded(number: float | int | bool, element: ScalarType) -> bytes | None:
    """A number as the bytes of an element; `None` where the type does not hold it."""
    if element.is_integer:
        size = max(1, element.bits // 8)
        value = int(number)
        if value != number or not -(1 << (element.bits - 1)) <= value < 1 << element.bits:
            return None
        return (value & ((1 << element.bits) - 1)).to_bytes(size, "little")
    return narrow(np.asarray(float(number)), element.name).tobytes()


def shapes(source: RustSource) -> dict[str, tuple[int | None, ...]]:
    """The extents of array parameters as their types say them; `None` for one known only at launch."""
    found: dict[str, tuple[int | None, ...]] = {}
    for name, axes in _TENSOR.findall(source.text):
        words = [word.strip() for word in axes.split(",") if word.strip()]
        if all(re.fullmatch(r"-?\d+", word) for word in words):
            found[name] = tuple(None if word == "-1" else int(word) for word in words)
    return found


__all__ = ["Call", "call_at", "encoded", "literal", "shapes"]
