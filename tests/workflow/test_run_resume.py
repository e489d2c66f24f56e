"""A run that is cut off goes on from the last good stage: nothing finished again, nothing half-written trusted."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kill
import pytest
from finished_runs import SMALL, digests, edited
from pretended_stages import STEPS, makers

from ferrotile.core import FerrotileError, folders
from ferrotile.workflow import run as runs
from ferrotile.workflow.run import drive

SCRIPT = Path(__file__).parent / "pretended_stages.py"
POINTS = [(drive, "seal"), (folders, "publish"), (folders, "fresh")]


def run(root: Path, log: list[str] | None = None) -> Any:
    return runs.run(root, runs.request_of("in", "sm_90", {}), makers(0, log))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a run leaves that is not disturbed."""
    root = tmp_path_factory.mktemp("whole") / "run"
    assert run(root).end == "COMPLETE"
    return digests(root)


def test_finished_run_does_nothing_again(tmp_path: Path, whole: dict[str, str]):
    log: list[str] = []
    run(tmp_path, log)
    assert log == STEPS
    again: list[str] = []
    assert run(tmp_path, again).end == "COMPLETE" and again == []
    assert digests(tmp_path) == whole


@pytest.mark.parametrize("point", [*POINTS, (drive.Journal, "begin"), (drive.Journal, "end")], ids=lambda p: str(p[1]))
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [0, 4, 9])
def test_run_cut_off_at_any_point_goes_on(
    point: tuple[Any, str],
    when: str,
    number: int,
    tmp_path: Path,
    whole: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
):
    """The process ends just before, or just after, one of the things that change the folder, at one of its steps."""
    holder, name = point
    real, calls = getattr(holder, name), []

    def cut_off(*arguments: Any, **named: Any) -> Any:
        calls.append(name)
        if len(calls) == number + 1 and when == "before":
            raise KeyboardInterrupt
        answer = real(*arguments, **named)
        if len(calls) == number + 1:
            raise KeyboardInterrupt
        return answer

    first: list[str] = []
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(holder, name, cut_off)
        run(tmp_path, first)
    second: list[str] = []
    assert run(tmp_path, second).end == "COMPLETE"
    assert digests(tmp_path) == whole
    is_published = (name, when) in (("publish", "after"), ("end", "before"), ("end", "after"))
    repeated = (
        first[-1:] if first and not is_published and name != "begin" and (name, when) != ("fresh", "before") else []
    )
    assert set(first) & set(second) <= set(repeated), "a finished stage was run again"


def test_half_a_stage_is_thrown_away(tmp_path: Path, whole: dict[str, str]):
    """Files of a stage that was killed while it wrote them are not found later."""
    broken = makers(0)
    author = broken[runs.Letter.AUTHOR]

    def die(context: Any, folder: Path) -> Any:
        author(context, folder)
        (folder / "half.txt").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.run(tmp_path, runs.request_of("in", "sm_90", {}), {**broken, runs.Letter.AUTHOR: die})
    assert list(tmp_path.rglob("half.txt"))
    run(tmp_path)
    assert digests(tmp_path) == whole


@pytest.mark.parametrize(
    ("path", "first_again"),
    [("stages/D1/0.txt", "D1"), ("stages/B1/manifest.json", "B1"), ("stages/E2/extra.txt", "E2")],
)
def test_changed_file_is_not_trusted(path: str, first_again: str, tmp_path: Path, whole: dict[str, str]):
    run(tmp_path)
    with (tmp_path / path).open("a") as file:
        file.write(" ")
    log: list[str] = []
    run(tmp_path, log)
    assert log == STEPS[STEPS.index(first_again) :]
    assert digests(tmp_path) == whole
    notes = json.loads((tmp_path / "journal.json").read_text())["notes"]
    assert notes and f"{first_again} is not trusted: FT81" in notes[0]


def test_stage_that_is_gone_is_made_again(tmp_path: Path, whole: dict[str, str]):
    run(tmp_path)
    folders.discard(tmp_path / "stages/A1")
    log: list[str] = []
    run(tmp_path, log)
    assert log == STEPS[1:] and digests(tmp_path) == whole


def test_debris_of_a_killed_write_is_swept(tmp_path: Path, whole: dict[str, str]):
    (tmp_path / ".request.json.x1").write_text("{")
    run(tmp_path)
    (tmp_path / ".journal.json.x2").write_text("{")
    run(tmp_path)
    assert digests(tmp_path) == whole


def test_folder_of_another_run_is_left_alone(tmp_path: Path):
    run(tmp_path)
    before = digests(tmp_path)
    with pytest.raises(FerrotileError, match=r"FT810.*`target` is `sm_90` there"):
        runs.run(tmp_path, runs.request_of("in", "sm_100", {}), makers(0))
    assert digests(tmp_path) == before


def test_folder_with_other_things_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(FerrotileError, match=r"FT810.*thesis\.txt"):
        run(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "all of it"


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path):
    with folders.held(tmp_path), pytest.raises(FerrotileError, match="FT021"):
        run(tmp_path)


def test_journal_of_another_form_is_refused(tmp_path: Path):
    run(tmp_path)
    edited(tmp_path / "journal.json", lambda journal: journal.update(format=7))
    with pytest.raises(FerrotileError, match="FT811"):
        run(tmp_path)


def test_wrong_target_is_refused_before_anything_is_written(tmp_path: Path):
    with pytest.raises(FerrotileError, match="FT111"):
        runs.request_of("in", "B200", {})


def test_killed_process_resumes_to_the_same_files(tmp_path: Path, whole: dict[str, str]):
    """SIGKILL, again and again, at random moments of a run with pauses; the last process may end."""
    dice, kills, seen = random.Random(8), 0, set()
    while kills < 3:
        command = [sys.executable, str(SCRIPT), str(tmp_path / "run"), "0.02"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(dice.uniform(0, 0.25))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        seen |= set(process.stdout.read().split())
        process.wait()
        if process.returncode == 0:
            assert digests(tmp_path / "run") == whole
            folders.discard(tmp_path / "run")
    assert run(tmp_path / "run").end == "COMPLETE"
    assert digests(tmp_path / "run") == whole


@pytest.mark.sweep
def test_real_run_survives_kills(tmp_path: Path):
    """Six here; `make kill` does fifty and prints them."""
    found = list(kill.kills(6, 3, SMALL, tmp_path))
    assert len(found) == 6 and all(one.same for one in found), found
