"""The size gate says what is too long, and its ratchet turns one way only."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def size() -> ModuleType:
    """tests/build/size.py."""
    path = Path(__file__).with_name("size.py")
    spec = importlib.util.spec_from_file_location("ferrotile_size", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one file of 410 lines, in which one function has 50."""
    function = "def long():\n" + "    pass\n" * 49
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(function + "x = 1\n" * 360)
    return tmp_path


def test_what_is_too_long_is_named(size: ModuleType, tree: Path) -> None:
    assert size.complaints(tree, {}) == [
        "src/a.py: 410 lines, at most 400",
        "src/a.py::long: 50 lines, at most 40",
    ]


def test_rows_of_the_ratchet_pass_at_their_size_only(size: ModuleType, tree: Path) -> None:
    assert size.complaints(tree, {"src/a.py": 410, "src/a.py::long": 50}) == []
    assert size.complaints(tree, {"src/a.py": 409, "src/a.py::long": 51}) == [
        "src/a.py: grew from 409 to 410 lines",
        "src/a.py::long: shrank to 50 lines; set its row in RATCHET",
    ]


def test_rows_without_a_file_are_stale(size: ModuleType, tree: Path) -> None:
    rows = {"src/a.py": 410, "src/a.py::long": 50, "src/b.py": 500}
    assert size.complaints(tree, rows) == ["src/b.py: is gone; remove its row in RATCHET"]


def test_docstrings_do_not_count(size: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text('def f():\n    """One.\n' + "\n" * 60 + '    """\n    return 1\n')
    assert size.complaints(tmp_path, {}) == []
