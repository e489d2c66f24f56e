"""Which lines of Python, Tile IR, Rust and machine code belong together.

The key of a line is a line of the kernel's source file. Tile IR and machine code carry places; lines of Rust are
paired with operations of the reference by the order of the operations on both sides, which is what lifting keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from ferrotile import ir
from ferrotile.core import Place

Keys = tuple[int, ...]
RUST_FILE = "kernel.rs"
_PASSED_OVER = frozenset(("assume", "constant", "make_token", "yield", "continue", "entry", "return"))
"""Operations that either side has where it likes."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text; `number` is None where lines are not counted."""

    text: str
    keys: Keys = ()
    number: int | None = None


def rust_keys(reference: ir.Module, lowered: ir.Module, file: str) -> dict[int, Keys]:
    """The keys of each line of Rust from which an operation comes."""
    ours, theirs = list(_operations(reference)), list(_operations(lowered))
    matcher = SequenceMatcher(None, [name for name, _ in ours], [name for name, _ in theirs], autojunk=False)
    found: dict[int, dict[int, None]] = {}
    for block in matcher.get_matching_blocks():
        for (_, python), (_, rust) in zip(
            ours[block.a : block.a + block.size], theirs[block.b : block.b + block.size], strict=True
        ):
            key, line = line_in(python, file), line_in(rust, RUST_FILE)
            if key is not None and line is not None:
                found.setdefault(line, {})[key] = None
    return {line: tuple(keys) for line, keys in found.items()}


def rust_lines(text: str, keys_of: Mapping[int, Keys]) -> list[Line]:
    """The lines of a Rust text; those of a statement over several lines share its keys, where they have none."""
    lines: list[Line] = []
    statement: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("//")[0].strip()
        lines.append(Line(line, keys_of.get(number, ()), number))
        if code:
            statement.append(number - 1)
        if code.endswith((";", "{", "}", "]")):
            _share(lines, statement)
            statement = []
    return lines


def _share(lines: list[Line], statement: list[int]) -> None:
    keys = tuple(dict.fromkeys(key for index in statement for key in lines[index].keys))
    for index in statement:
        if keys and not lines[index].keys:
            lines[index] = Line(lines[index].text, keys, lines[index].number)


def _operations(module: ir.Module) -> Iterator[tuple[str, Place | None]]:
    for op in module.entries[0].walk():
        name = op.name.removeprefix("cuda_tile.")
        if name not in _PASSED_OVER:
            yield name, ir.place(op)


def line_in(place: Place | None, file: str) -> int | None:
    """The innermost line of a chain of places that is in a file."""
    while place is not None:
        if place.file == file:
            return place.line
        place = place.caller
    return None


_PLACE = re.compile(r'(#loc\d*) = loc\("([^"]*)":(\d+):\d+\)')
_CALL = re.compile(r"(#loc\d*) = loc\(callsite\((#loc\d*) at (#loc\d*)\)\)")
_SCOPED = re.compile(r"(#loc\d*) = #cuda_tile\.di_loc<(#loc\d*) in [^>]*>")
_USED = re.compile(r"\s*loc\((#loc\d*)\)")


def tile_ir_lines(text: str, file: str) -> list[Line]:
    """The lines of a disassembly with places: the kernel without the table of places, each with its key."""
    body = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    table = {name: (int(line),) if path == file else () for name, path, line in _PLACE.findall(text)}
    links = {name: (inner,) for name, inner in _SCOPED.findall(text)}
    links |= {name: (inner, outer) for name, inner, outer in _CALL.findall(text)}
    lines: list[Line] = []
    for line in body:
        used = _USED.search(line)
        keys = () if used is None else _resolved(used.group(1), table, links)
        lines.append(Line(_USED.sub("", line).rstrip(), keys, len(lines) + 1))
    _give_heads_their_keys(lines)
    return lines


def _give_heads_their_keys(lines: list[Line]) -> None:
    """The place of an operation with regions stands where it ends; its first lines get it too."""
    waiting: list[list[int]] = []
    for index, line in enumerate(lines):
        text = line.text.strip()
        if text.endswith("{") and not text.startswith("}"):
            waiting.append([index - 1, index] if text.startswith("(") else [index])
        elif text.startswith("}") and not text.endswith("{") and waiting:
            for head in waiting.pop():
                lines[head] = Line(lines[head].text, lines[head].keys or line.keys, lines[head].number)


def _resolved(name: str, table: Mapping[str, Keys], links: Mapping[str, tuple[str, ...]], depth: int = 0) -> Keys:
    """The innermost place of a chain that is in the file."""
    if table.get(name) or depth > 100:
        return table.get(name, ())
    for inner in links.get(name, ()):
        if keys := _resolved(inner, table, links, depth + 1):
            return keys
    return ()


_FILE = re.compile(r'//## File "([^"]*)", line (\d+)')
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*)$")


def sass_lines(text: str, keys_of: Mapping[int, Keys]) -> list[Line]:
    """The instructions and labels of a disassembly with lines; `keys_of`: the keys of each line of kernel.rs."""
    lines: list[Line] = []
    keys: Keys = ()
    is_fresh = True
    for line in text.splitlines():
        if place := _FILE.search(line):
            keys, is_fresh = _next_keys(place, keys, is_fresh, keys_of), False
        elif instruction := _INSTRUCTION.match(line):
            lines.append(Line(f"{instruction.group(1)}  {instruction.group(2).rstrip()}", keys))
            is_fresh = True
        elif re.match(r"^\.L_x_\d+:", line):
            lines.append(Line(line.strip()))
    return lines


def _next_keys(place: re.Match[str], keys: Keys, is_fresh: bool, keys_of: Mapping[int, Keys]) -> Keys:
    """Of a chain of places, the innermost in kernel.rs that has keys."""
    kept = () if is_fresh else keys
    return kept or (keys_of.get(int(place.group(2)), ()) if place.group(1).endswith(RUST_FILE) else ())
