"""The size gate, `make size`: short files, short functions.

A file or function over the limit fails, unless it stands in RATCHET with its size. Rows there may only shrink: one
that grew fails, and so does one that has shrunk until its row says so, or is gone.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "native", "runtime", "build_backend", "tests", "docs", "examples")
FILE_LINES = 400
FUNCTION_LINES = 40

RATCHET: Mapping[str, int] = {
    "examples/attention.py::attention": 49,
}
"""What was too long when the gate came: a path, or `path::function`, and its lines."""


def measured(root: Path) -> Iterator[tuple[str, int, int]]:
    """Every file and Python function below the folders: name, lines, and how many it may have."""
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        if path.suffix not in (".py", ".rs") or not path.is_file():
            continue
        text, name = path.read_text(), path.relative_to(root).as_posix()
        yield name, len(text.splitlines()), FILE_LINES
        if path.suffix == ".py":
            yield from ((f"{name}::{function}", lines, FUNCTION_LINES) for function, lines in _functions(text))


def complaints(root: Path, ratchet: Mapping[str, int]) -> list[str]:
    """What is too long, or shorter than its row in the ratchet says; one line each."""
    found, rows = [], dict(ratchet)
    for name, lines, most in measured(root):
        allowed = rows.pop(name, None)
        if allowed is None:
            if lines > most:
                found.append(f"{name}: {lines} lines, at most {most}")
        elif lines > allowed:
            found.append(f"{name}: grew from {allowed} to {lines} lines")
        elif lines < allowed:
            found.append(f"{name}: shrank to {lines} lines; {'set' if lines > most else 'remove'} its row in RATCHET")
    return found + [f"{name}: is gone; remove its row in RATCHET" for name in rows]


def _functions(text: str) -> Iterator[tuple[str, int]]:
    """Functions of a file and their lines, docstrings not counted."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            is_documented = ast.get_docstring(node, clean=False) is not None
            document = _span(first) if is_documented else 0
            yield node.name, _span(node) - document


def _span(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def main() -> int:
    """Print every complaint; the exit code."""
    found = complaints(ROOT, RATCHET)
    print("\n".join(found) or "sizes: all within limits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
