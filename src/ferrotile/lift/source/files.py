"""Find the Python files that places name, and keep their syntax."""

from __future__ import annotations

from pathlib import Path

from ferrotile.lift.source.syntax import Syntax

MAX_SOURCE_BYTES = 8 << 20
"""A longer file is not a kernel's source."""


class SourceFinder:
    """Resolve a place's file name to a file that can be read, and parse it once.

    `maps` are prefix replacements, tried in order (`--source-map FROM=TO`); after them the name as it stands.

    Example:
        >>> SourceFinder([("/build", "/nowhere")]).find("/build/a.py") is None
        True
    """

    def __init__(self, maps: list[tuple[str, str]] | None = None) -> None:
        self.maps = [(source.rstrip("/"), target) for source, target in maps or ()]
        self._found: dict[str, Syntax | None] = {}
        self._why: dict[str, str] = {}

    def find(self, file: str) -> Syntax | None:
        """The syntax of the file that a place names, or None (`why_not` says why)."""
        if file not in self._found:
            self._found[file] = self._read(file)
        return self._found[file]

    def why_not(self, file: str) -> str:
        """Why `find` gave None for this file."""
        return self._why.get(file, "not found")

    def _read(self, file: str) -> Syntax | None:
        path = next((path for path in self._candidates(file) if _is_file(path)), None)
        if path is None:
            self._why[file] = "not found"
            return None
        try:
            if path.stat().st_size > MAX_SOURCE_BYTES:
                self._why[file] = "too long for a kernel's source"
                return None
            return Syntax(str(path), path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            self._why[file] = f"cannot be read ({error.strerror})"
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._why[file] = "is not Python that this version can parse"
        return None

    def _candidates(self, file: str) -> list[Path]:
        candidates: list[Path] = []
        for source, target in self.maps:
            if file == source:
                candidates.append(Path(target))
            elif file.startswith(source + "/"):
                candidates.append(Path(target) / file[len(source) + 1 :])
        return [*candidates, Path(file)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long for the system, or with a zero byte in it
        return False
