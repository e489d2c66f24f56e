"""Lift around what is refused: one pure operation without a Rust form becomes the call of a function to be filled in.

The function has the types of the operation, and nothing else of the kernel is left open; so a hole can be given away
alone. A kernel with holes does not lower; filled, it is lowered and compared like any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from ferrotile.core.errors import InputError, Unsupported
from ferrotile.ir import Effect, place, print_generic, row
from ferrotile.lift.emit import Writer
from ferrotile.lift.rust import Expr, Form, rust_type

STEM = "hole"
UNFILLED = "unfilled!()"
_UNFILLED = re.compile(
    rf"(?:[ \t]*///[^\n]*\n)*[ \t]*fn ({STEM}_\d+)\((?:(?!\bfn\b).)*?\{{\s*{re.escape(UNFILLED)}\s*\}}\n", re.DOTALL
)
_SIGNATURE = re.compile(rf"\bfn\s+({STEM}_\d+)\s*\([^()]*\)\s*->\s*\w+\s*<[^>]*>")


@dataclass(frozen=True, slots=True)
class Hole:
    """A function to be filled in: `signature` in Rust; `operation` is what it must lower to, as generic text."""

    name: str
    signature: str
    operation: str
    code: str
    message: str
    place: str | None


class HoleWriter(Writer):
    """A writer that leaves a hole where a pure operation is refused."""

    holes: tuple[Hole, ...] = ()

    def operation(self, op: Operation) -> bool:
        """Write one operation, or the call of a function in its place. Raises: FT3xx where that cannot be."""
        length, pending = len(self.block.items), dict(self.pending)
        functions, unsafe_count = dict(self.functions), self.unsafe_count
        try:
            return super().operation(op)
        except Unsupported as error:
            used = [result for result in op.results if self.live.is_used(result)]
            if row(op).effect is not Effect.PURE or len(used) != 1:
                raise
            del self.block.items[length:]
            self.pending, self.functions, self.unsafe_count = pending, functions, unsafe_count
            self._dig(op, error)
            return False

    def _dig(self, op: Operation, error: Unsupported) -> None:
        result = next(result for result in op.results if self.live.is_used(result))
        type_ = rust_type(result.type)  # pyright: ignore[reportArgumentType]
        given = [self.stable(self.tile(value), value) for value in op.operands]
        if type_.form is not Form.TILE or any(one.type.form is not Form.TILE for one in given):
            raise error
        name = f"{STEM}_{len(self.holes) + 1}"
        parameters = ", ".join(f"a{k}: {one.type}" for k, one in enumerate(given))
        signature = f"fn {name}({parameters}) -> {type_}"
        where = place(op)
        text = print_generic(op).strip()
        self.holes += (Hole(name, signature, text, error.code, error.message, None if where is None else str(where)),)
        self.functions[name] = f"/// {error.code}: {error.message}\n{signature} {{ {UNFILLED} }}"
        reads = frozenset[str]().union(*(one.reads for one in given))
        call = f"{name}({', '.join(one.text for one in given)})"
        self.define(result, Expr(call, type_, opaque=True, reads=reads, heavy=True), op)


def filled(text: str, holes: Sequence[Hole], functions: str) -> str:
    """The text of a kernel with `functions` in the place of its unfilled ones.

    Raises: FT826 when a hole is missing from `functions`, or its signature is another one.
    """
    wanted: Mapping[str, str] = {hole.name: _plain(hole.signature) for hole in holes}
    found = {match[1]: _plain(match[0]) for match in _SIGNATURE.finditer(functions)}
    for name, signature in wanted.items():
        if name not in found:
            raise InputError("FT826", f"`holes.rs` has no function `{name}`")
        if _types(found[name]) != _types(signature):
            raise InputError("FT826", f"`{name}` must be `{signature}`")
    parts = _UNFILLED.split(text)
    kept = [part for k, part in enumerate(parts) if k % 2 == 0]
    return kept[0] + functions.rstrip() + "\n" + "".join(kept[1:])


def _plain(signature: str) -> str:
    return " ".join(signature.split())


def _types(signature: str) -> str:
    """A signature without the names of its parameters and without blanks."""
    return re.sub(r"\s|,(?=\))", "", re.sub(r"\b(?:mut\s+)?\w+\s*:(?!:)", "", signature))
