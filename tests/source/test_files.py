"""Finding sources: prefixes are replaced by whole path parts, and what cannot be used is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrotile.lift.source import SourceFinder


def test_maps_replace_whole_path_parts(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "a.py").write_text("A = 1\n")
    finder = SourceFinder([("/build/src", str(tmp_path))])
    syntax = finder.find("/build/src/kernels/a.py")
    assert syntax is not None
    assert syntax.module_numbers == {"A": 1}
    assert finder.find("/build/src/kernels/a.py") is syntax
    assert finder.find("/build/srckernels/a.py") is None


def test_maps_are_tried_in_order_and_then_the_name_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("A = 1\n")
    finder = SourceFinder([(str(tmp_path), str(tmp_path / "nowhere"))])
    assert finder.find(str(file)) is not None


def test_a_map_can_name_one_file(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("B = 2\n")
    assert SourceFinder([("/x/a.py", str(tmp_path / "b.py"))]).find("/x/a.py") is not None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"def f(:\n", "is not Python"),
        (b"\xff\xfe\x00", "is not Python"),
        (b"x = 1\x00", "is not Python"),
        (b"x = " + b"(" * 5000 + b")" * 5000, "is not Python"),
        (b"#" * (9 << 20), "too long"),
    ],
)
def test_files_that_are_no_source_are_refused_with_a_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "bad.py"
    file.write_bytes(content)
    finder = SourceFinder()
    assert finder.find(str(file)) is None
    assert reason in finder.why_not(str(file))


@pytest.mark.parametrize("name", ["", "/", "/nowhere/a.py", "a\0b", "x" * 5000])
def test_names_that_lead_nowhere_are_not_found(name: str) -> None:
    finder = SourceFinder([("/nowhere", "/also/nowhere")])
    assert finder.find(name) is None
    assert finder.why_not(name) == "not found"
