"""Source lines around a place, and two sides beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ferrotile.core import Place

_AROUND = 2
Lines = Sequence[str] | None


def side_by_side(
    python: Place | None, rust: Place | None, source_map: Sequence[tuple[str, str]], rust_text: str | None
) -> RenderableType | None:
    """The Python line and the Rust line with their neighbours, next to each other; None when neither is known.

    `rust_text` is the kernel that we wrote; a place in code that it calls is shown where the kernel calls it.
    """

    def rust_lines(place: Place) -> Lines:
        if rust_text is None:
            return _read(place, ())
        return None if "/" in place.file else rust_text.splitlines()

    sides = [
        (place, *_readable(place, lines_of))
        for place, lines_of in ((python, lambda place: _read(place, source_map)), (rust, rust_lines))
        if place is not None
    ]
    if not sides:
        return None
    table = Table(show_edge=False, pad_edge=False, expand=True)
    for place, _, _ in sides:
        table.add_column(Text(str(place)), overflow="fold", ratio=1)
    table.add_row(*(_marked(here, lines) for _, here, lines in sides))
    return table


def _readable(place: Place, lines_of: Callable[[Place], Lines]) -> tuple[Place, Lines]:
    """The innermost position of a chain whose source is at hand."""
    for here in place.chain():
        lines = lines_of(here)
        if lines is not None and 0 < here.line <= len(lines):
            return here, lines
    return place, None


def _marked(place: Place, lines: Lines) -> Text:
    if lines is None:
        return Text("(source not at hand)", style="dim")
    text = Text()
    for number in range(max(1, place.line - _AROUND), min(len(lines), place.line + _AROUND) + 1):
        is_here = number == place.line
        text.append(f"{'>' if is_here else ' '} {number:4} {lines[number - 1]}\n", style="bold" if is_here else "dim")
    return text


def _read(place: Place, source_map: Sequence[tuple[str, str]]) -> Lines:
    for path in _candidates(place.file, source_map):
        try:
            return path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            continue
    return None


def _candidates(file: str, source_map: Sequence[tuple[str, str]]) -> list[Path]:
    mapped = [
        Path(to + file[len(origin.rstrip("/")) :])
        for origin, to in source_map
        if file == origin or file.startswith(origin.rstrip("/") + "/")
    ]
    return [*mapped, Path(file)]
