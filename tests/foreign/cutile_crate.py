"""Kernels of cutile's own tests, read where cargo unpacked the crate; none of their text is kept here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ferrotile.lower import RustSource

CRATE = "cutile-0.5.0"
_MODULE = re.compile(r"#\[(?:cutile|crate)::module[^\]]*\](?:\s*(?:#\[[^\]]*\]|//[^\n]*\n))*\s*(?:pub )?mod (\w+)")
_ENTRY = re.compile(r"#\[(?:cutile|crate)::entry")
_FUNCTION = re.compile(r"(?:pub )?(?:unsafe )?fn (\w+)\s*")
_GENERIC = re.compile(r"(const\s+)?(\w+)\s*:\s*(\[\s*\w+\s*;\s*\d+\s*\]|\w+)")
_TENSOR = re.compile(r"(\w+)\s*:\s*(?:&\s*(?:mut\s+)?)?(?:\w+::)*(?:Tensor|MappedPartitionMut)\s*<")
_CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel of a file: its module, its generic parameters (name and type), its arrays (name and rank)."""

    path: Path
    module: str
    name: str
    generics: tuple[tuple[str, str], ...]
    arrays: tuple[tuple[str, int], ...]

    def source(self, generics: tuple[str, ...]) -> RustSource:
        """The request to lower it for generic arguments; arrays are dense, all else is unknown."""
        strides = tuple((name, (-1,) * (rank - 1) + (1,)) for name, rank in self.arrays if rank)
        return RustSource(_text(self.path), self.path.name, self.module, self.name, generics, strides)


def crate_folder() -> Path | None:
    """Where cargo unpacked cutile, if it did."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    return next(iter(sorted(home.glob(f"registry/src/*/{CRATE}"))), None)


@cache
def entries(path: Path) -> dict[str, Entry]:
    """All kernels of a file by `module::name`, but those in a module of a module."""
    text = _text(path)
    return {f"{entry.module}::{entry.name}": entry for entry in _entries(path, text)}


def _entries(path: Path, text: str) -> Iterator[Entry]:
    modules = [(found.start(), found[1]) for found in _MODULE.finditer(text)]
    for mark in _ENTRY.finditer(text):
        around = [name for start, name in modules if start < mark.start()]
        start = mark.end()
        start = _closed(text, text.index("[", mark.start()))
        found = _FUNCTION.search(text, start)
        if not around or found is None:
            continue
        opening, generics = found.end(), ""
        if text[opening] == "<":
            end = _closed(text, opening)
            generics, opening = text[opening + 1 : end - 1], text.index("(", end - 1)
        parameters = text[opening + 1 : _closed(text, opening) - 1]
        kinds = tuple((name, kind) for _, name, kind in _GENERIC.findall(generics))
        yield Entry(path, around[-1], found[1], kinds, tuple(_arrays(parameters, dict(kinds))))


def _arrays(parameters: str, generics: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Names and ranks of the arrays among parameters; the rank of a named shape is that of its generic."""
    for found in _TENSOR.finditer(parameters):
        inside = parameters[found.end() : _closed(parameters, found.end() - 1) - 1]
        shape = inside.partition(",")[2].strip().strip("{} ")
        if shape.startswith("["):
            shape = shape[1 : shape.index("]")]
            yield found[1], len([part for part in shape.split(",") if part.strip()])
        else:
            size = re.search(r";\s*(\d+)", generics.get(shape.split(",")[0].strip(), ""))
            yield found[1], int(size[1]) if size else 0


def _closed(text: str, start: int) -> int:
    """Where the bracket that opens at `start` has been closed; arrows are not brackets."""
    closing = [_CLOSING[text[start]]]
    position = start + 1
    while closing:
        mark = text[position]
        if mark == closing[-1] and not (mark == ">" and text[position - 1] in "-="):
            closing.pop()
        elif mark in _CLOSING and (mark != "<" or closing[-1] == ">" or text[position - 1].isalnum()):
            closing.append(_CLOSING[mark])
        position += 1
    return position


@cache
def _text(path: Path) -> str:
    return path.read_text().replace("#[crate::", "#[cutile::").replace("use crate::core", "use cutile::core")
