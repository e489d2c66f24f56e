"""Every example compiles, the same bytes every time, and is documented."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ferrotile.capture import Specialization, discover, export

FOLDER = Path(__file__).parents[2] / "examples"
ROWS = discover(FOLDER)
FILES = sorted(FOLDER.glob("*.py"))


def _row_id(row: tuple[Path, str, Specialization]) -> str:
    return f"{row[0].stem}-{row[2].label}"


def test_there_are_twelve_examples_or_more() -> None:
    assert len(FILES) >= 12


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_example_has_a_spec_a_host_function_and_docstrings(file: Path) -> None:
    assert file.with_suffix(".toml").is_file()
    tree = ast.parse(file.read_text())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert "host" in {function.name for function in functions}
    assert ast.get_docstring(tree)
    assert all(ast.get_docstring(function) for function in functions)


@pytest.mark.parametrize("row", ROWS, ids=_row_id)
def test_example_exports_the_same_bytes_twice(row: tuple[Path, str, Specialization]) -> None:
    path, kernel, specialization = row
    (first,) = export(path, kernel, specialization, "sm_90")
    (second,) = export(path, kernel, specialization, "sm_90")
    assert first.bytecode.startswith(b"\x7fTileIR")
    assert first == second


def test_names_of_captures_differ() -> None:
    names = [capture.name for path, kernel, row in ROWS for capture in export(path, kernel, row)]
    assert len(set(names)) == len(names)
