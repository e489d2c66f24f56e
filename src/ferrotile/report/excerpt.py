"""Source lines around a place, and two sides beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ferrotile.core import Place

_AROUND = 2


def side_by_side(
    python: Place | None, rust: Place | None, source_map: Sequence[tuple[str, str]], rust_text: str | None
) -> RenderableType | None:
    """The Python line and the Rust line with their neighbours, next to each other; None when neither is known."""
    sides = [
        (place, lines)
        for place, lines in ((python, _python_lines(python, source_map)), (rust, _rust_lines(rust, rust_text)))
        if place is not None
    ]
    if not sides:
        return None
    table = Table(show_edge=False, pad_edge=False, expand=True)
    for place, _ in sides:
        table.add_column(Text(str(place)), overflow="fold", ratio=1)
    table.add_row(*(_marked(place, lines) for place, lines in sides))
    return table


def _marked(place: Place, lines: Sequence[str] | None) -> Text:
    if lines is None or not 0 < place.line <= len(lines):
        return Text("(source not at hand)", style="dim")
    text = Text()
    for number in range(max(1, place.line - _AROUND), min(len(lines), place.line + _AROUND) + 1):
        is_here = number == place.line
        text.append(f"{'>' if is_here else ' '} {number:4} {lines[number - 1]}\n", style="bold" if is_here else "dim")
    return text


def _python_lines(place: Place | None, source_map: Sequence[tuple[str, str]]) -> list[str] | None:
    if place is None:
        return None
    for path in _candidates(place.file, source_map):
        try:
            return path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError, ValueError):
            continue
    return None


def _candidates(file: str, source_map: Sequence[tuple[str, str]]) -> list[Path]:
    mapped = [
        Path(to + file[len(origin.rstrip("/")) :])
        for origin, to in source_map
        if file == origin or file.startswith(origin.rstrip("/") + "/")
    ]
    return [*mapped, Path(file)]


def _rust_lines(place: Place | None, text: str | None) -> list[str] | None:
    return text.splitlines() if place is not None and text is not None else _python_lines(place, ())
