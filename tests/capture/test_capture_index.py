"""The folder that a capture leaves: what reads it, and what happens when it was touched."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from ferrotile.capture import is_capture, read_index
from ferrotile.cli.main import app
from ferrotile.core import InputError
from ferrotile.workflow import Options, expand

PROGRAMS = Path(__file__).parent / "programs"
TWO = f"""
import sys
sys.path.insert(0, {str(PROGRAMS)!r})
import cuda.tile as ct, kernels
from arrays import DeviceArray
arrays = DeviceArray((4096,)), DeviceArray((4096,))
print("output of the program")
ct.launch(None, (4,), kernels.double, (*arrays, 1024))
if len(sys.argv) > 1:
    ct.launch(None, (1,), kernels.wrong, (*arrays, 1024))
"""


def _capture(out: Path, *arguments: str, options: tuple[str, ...] = ()) -> Result:
    command = ["capture", "--pretend", "--out", str(out), *options, "--", sys.executable, "-c", TWO, *arguments]
    return CliRunner().invoke(app, command)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A capture of a kernel that exports and of one that does not."""
    out = tmp_path_factory.mktemp("made") / "out"
    return out, _capture(out, "wrong too", options=("--json",))


@pytest.fixture
def touched(made: tuple[Path, Result], tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], object]], InputError]:
    """Change a copy of the index, and read it."""

    def read(change: Callable[[dict[str, Any]], object]) -> InputError:
        for path in made[0].iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        index = json.loads((tmp_path / "index.json").read_text())
        change(index)
        (tmp_path / "index.json").write_text(json.dumps(index))
        with pytest.raises(InputError) as caught:
            read_index(tmp_path)
        assert caught.value.code == "FT116"
        return caught.value

    return read


def test_json_has_a_line_for_each_specialization_and_one_for_the_run(made: tuple[Path, Result]) -> None:
    lines = [json.loads(line) for line in made[1].stdout.splitlines()]
    exported, refused, run = lines
    assert (exported["kernel"], exported["code"], exported["grid"]) == ("double", None, [4])
    assert (refused["kernel"], refused["code"], refused["file"]) == ("wrong", "FT104", None)
    assert (run["exported"], run["refused"], run["exit_code"]) == (1, 1, 2) and made[1].exit_code == 2


def test_an_earlier_capture_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.json").write_text('{"format": "ferrotile-capture 1"}')
    (out / "old.tileirbc").write_bytes(b"")
    result = _capture(out)
    assert result.exit_code == 0 and "1 specializations of 1 kernels" in result.stdout
    assert sorted(path.suffix for path in out.iterdir()) == [".json", ".tileirbc"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_translate_takes_a_capture_with_its_refusals(made: tuple[Path, Result]) -> None:
    first, second = expand([str(made[0])], Options())
    assert first.path == made[0] / f"{first.name}.tileirbc" and first.fault is None
    assert (second.name, second.fault.code) == ("wrong", "FT104")


def test_a_missing_file_is_told(touched: Callable[..., InputError]) -> None:
    assert "is not there" in touched(lambda index: index["exported"][0].update(file="other.tileirbc")).message


def test_a_file_that_was_changed_is_told(touched: Callable[..., InputError]) -> None:
    assert "not the file" in touched(lambda index: index["exported"][0].update(sha256="0" * 64)).message


def test_a_file_outside_the_folder_is_not_read(touched: Callable[..., InputError]) -> None:
    assert "not the name" in touched(lambda index: index["exported"][0].update(file="../index.json")).message


def test_a_field_of_another_kind_is_told(touched: Callable[..., InputError]) -> None:
    assert "exported.0.line" in touched(lambda index: index["exported"][0].update(line="many")).message
    assert "unexported.0.code" in touched(lambda index: index["unexported"][0].update(code="FT999")).message


def test_only_our_index_makes_a_capture(tmp_path: Path) -> None:
    assert not is_capture(tmp_path)
    for text in ("", "[]", '{"format": "other"}'):
        (tmp_path / "index.json").write_text(text)
        assert not is_capture(tmp_path)
    with pytest.raises(InputError) as caught:
        read_index(tmp_path / "none")
    assert caught.value.code == "FT116"
