"""A user's command in the foreground, and a folder that appears whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ferrotile.core import EnvironmentFault, InputError, store, tools


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_exit_codes_and_signals_are_told() -> None:
    assert tools.run_in_foreground(_python("raise SystemExit(3)"), {}) == 3
    assert tools.run_in_foreground(_python("import os; os.kill(os.getpid(), 15)"), {}) == -signal.SIGTERM


def test_the_command_has_our_variables_and_the_users() -> None:
    code = "import os; raise SystemExit(os.environ['OURS'] != 'x' or 'PATH' not in os.environ)"
    assert tools.run_in_foreground(_python(code), {"OURS": "x"}) == 0


def test_a_command_that_is_no_program_is_told(tmp_path: Path) -> None:
    for command in (str(tmp_path), str(tmp_path / "none")):
        with pytest.raises(InputError) as caught:
            tools.run_in_foreground([command], {})
        assert caught.value.code == "FT117"


@pytest.mark.parametrize(("quiet", "stream"), [(False, "stdout"), (True, "stderr")])
def test_a_quiet_command_prints_to_stderr(quiet: bool, stream: str) -> None:
    code = f"""
import sys
from ferrotile.core import tools
tools.run_in_foreground([sys.executable, "-c", "print('word')"], {{}}, quiet={quiet})
"""
    ran = subprocess.run(_python(code), capture_output=True, text=True, check=True)
    assert getattr(ran, stream) == "word\n" and ran.stdout + ran.stderr == "word\n"


def test_a_command_that_does_not_stop_is_ended_with_us(tmp_path: Path) -> None:
    number = tmp_path / "number"
    child = f"""
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
open({str(number)!r}, "w").write(str(os.getpid()))
time.sleep(600)
"""
    # Who runs the tests in the background may have them ignore the signal, and what they start inherits that.
    code = f"""
import signal, sys
from ferrotile.core import tools
signal.signal(signal.SIGINT, signal.default_int_handler)
tools.GRACE_S = 0.1
tools.run_in_foreground([sys.executable, "-c", {child!r}], {{}})
"""
    process = subprocess.Popen(_python(code), stderr=subprocess.DEVNULL)
    while not (number.is_file() and number.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait()
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "parent" / "folder"
    store.replace_folder(folder, {"a": b"1", "b": b"2"})
    store.replace_folder(folder, {"b": b"3"})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"b": b"3"}
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]


def test_a_folder_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    store.replace_folder(folder, {"a": b"1"})
    with pytest.raises(EnvironmentFault) as caught:
        store.replace_folder(folder, {"b": b"2", "no/such/place": b"3"})
    assert caught.value.code == "FT004"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"] and (folder / "a").read_bytes() == b"1"


def test_a_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, replace = tmp_path / "folder", os.replace
    store.replace_folder(folder, {"a": b"1"})

    def failing(source: Path, target: Path) -> None:
        if target == folder and source.name != "old":
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(EnvironmentFault):
        store.replace_folder(folder, {"b": b"2"})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"] and (folder / "a").read_bytes() == b"1"
