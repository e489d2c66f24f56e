"""A batch: operators of inputs, a checkout for each, judged always, committed if accepted, diagnosed if not."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from finished_runs import EXAMPLES, SMALL, copied, edited
from typer.testing import CliRunner

from ferrotile.cli import batch as batch_command
from ferrotile.cli.main import app
from ferrotile.core import FerrotileError, confined
from ferrotile.workflow.operators import drive, plan, work, worktree
from ferrotile.workflow.operators.drive import batch
from ferrotile.workflow.operators.records import BatchRequest, Fate, Operator, Plan, Result, Try
from ferrotile.workflow.operators.watching import progress
from ferrotile.workflow.operators.work import Job
from ferrotile.workflow.run import acceptance
from ferrotile.workflow.run.artifacts import read
from ferrotile.workflow.stages import table

NAME = "vector_add"
Spoil = Callable[[Path], object]


def git(folder: Path, *words: str) -> str:
    """A git command of the tests."""
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    return subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a Rust implementation by hand."""
    folder = tmp_path / "checkout"
    (folder / "cutile_rs" / NAME).mkdir(parents=True)
    (folder / "cutile_rs" / NAME / "kernel.rs").write_text("// by hand\n")
    (folder / "cutile_rs" / "lib.rs").write_text("// shared\n")
    (folder / "README.md").write_text("a checkout\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "tests")
    git(folder, "config", "user.email", "tests@example.org")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "start")
    return folder


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """`accept` without making claims again, for time's sake: what it compares with records it compares."""
    stages = {k: replace(row, confirm=lambda *_: None) for k, row in table.STAGES.items()}
    monkeypatch.setattr(acceptance, "STAGES", stages)


def request_of(folder: Path | None = None, **options: Any) -> BatchRequest:
    """The request of a batch of one small operator."""
    fields = {"into": "cutile_rs/{op}", "hide": ("**/*.rs",), "branches": "port", **options.pop("checkout", {})}
    made = None if folder is None else plan.checkout_of(folder, fields)
    return plan.batch_request([SMALL], "all", "sm_90", {"checkout": made, **options})


def ran(finished: Path, spoil: Spoil = lambda _: None) -> work.Runner:
    """In the place of an isolated run: a copy of a finished one, spoiled."""

    def run(job: Job, folder: Path) -> confined.Ended:
        shutil.rmtree(folder / "run", ignore_errors=True)
        spoil(copied(finished, folder / "run"))
        return confined.Ended("copied", 0)

    return run


def job_of(out: Path, request: BatchRequest) -> Job:
    """The one job of a request."""
    return Job(out, request, Operator(name=NAME, input=SMALL))


def failing_numbers(run: Path) -> None:
    """A tampered artifact; forgers who seal it again are those of test_run_accept."""
    edited(run / "stages/D1/host.json", lambda host: host["results"][0].update(sentence="the same bits in 9 elements"))


def test_accepted_operator_is_committed_with_its_evidence_and_nothing_else(
    finished: Path, checkout: Path, tmp_path: Path, quick: None
):
    job = job_of(tmp_path / "out", request_of(checkout))

    def look(_: Path) -> None:
        tree = job.place / "checkout"
        assert (tree / "README.md").exists() and not list(tree.rglob("*.rs")), "the existing Rust is hidden"

    result = work.worked(job, ran(finished, look))
    assert result.fate is Fate.ACCEPTED and result.committed is not None and result.diagnosis is None
    branch = f"port/{NAME}"
    assert result.committed.branch == branch and git(checkout, "rev-parse", branch).strip() == result.committed.commit
    changed = git(checkout, "diff", "--name-only", "main", branch).split()
    assert all(path.startswith(f"cutile_rs/{NAME}/") for path in changed), changed
    first = f"cutile_rs/{NAME}/vector_add.f32"
    assert {f"{first}/kernel.rs", f"{first}/proof.json", f"cutile_rs/{NAME}/kernel.rs"} <= set(changed)
    assert (
        git(checkout, "show", f"{branch}:{first}/kernel.rs")
        == (finished / "stages/B1/bundles/vector_add.f32/kernel.rs").read_text()
    )
    assert git(checkout, "show", f"{branch}:cutile_rs/lib.rs") == "// shared\n", "hidden, not removed"
    text = git(checkout, "log", "-1", "--format=%B", branch)
    for evidence in ("check: EQUAL", "numbers: held", "machine code: identical", "reference sha256", "P1 A1 B1 D1 E1"):
        assert text.count(evidence) >= 1, evidence
    assert git(checkout, "worktree", "list").count("\n") == 1 and not (job.place / "checkout").exists()


def test_tampered_run_is_not_accepted_twice_and_keeps_its_diagnosis(
    finished: Path, checkout: Path, tmp_path: Path, quick: None
):
    job = job_of(tmp_path / "out", request_of(checkout, agents={f"{NAME}:host": "sh 'my host.sh' {prompt}"}))
    result = work.worked(job, ran(finished, failing_numbers))
    assert (result.fate, result.exit_code, result.committed) == (Fate.REJECTED, 1, None)
    assert len(result.tries) == 2 and all(not one.judged.accepted for one in result.tries)
    assert any("FT813" in reason for reason in result.reasons)
    diagnosis = (job.place / work.DIAGNOSIS).read_text()
    (again,) = (line for line in diagnosis.splitlines() if line.startswith("Again: "))
    assert "host=sh 'my host.sh' {prompt}" in shlex.split(again.removeprefix("Again: ").strip("`"))
    assert "FT813" in diagnosis and "Try 2" in diagnosis and (job.place / "try1/run/stages/D1/host.json").exists()
    assert git(checkout, "branch", "--list", "port/*") == "", "no branch of what was not accepted"


def test_second_try_may_be_accepted(finished: Path, checkout: Path, tmp_path: Path, quick: None):
    spoil = iter((failing_numbers, lambda _: None))
    result = work.worked(job_of(tmp_path / "out", request_of(checkout)), ran(finished, lambda run: next(spoil)(run)))
    assert result.fate is Fate.ACCEPTED and [one.judged.accepted for one in result.tries] == [False, True]


def test_run_that_stops_half_way_is_judged_too(finished: Path, tmp_path: Path, quick: None):
    """A killed or endless run: `accept` sees what is there, and says what is missing."""

    def stop(run: Path) -> None:
        (run / "outcome.json").unlink()

    result = work.worked(job_of(tmp_path / "out", request_of(tries=1)), ran(finished, stop))
    assert result.fate is Fate.REJECTED and result.is_judged and "FT811" in result.reasons[0]


def test_run_that_never_began_is_judged_too(tmp_path: Path):
    def nothing(job: Job, folder: Path) -> confined.Ended:
        return confined.Ended("plain", 2, output=b'{"code": "FT101", "message": "gone"}\n')

    result = work.worked(job_of(tmp_path / "out", request_of()), nothing)
    assert (result.fate, len(result.tries)) == (Fate.BAD_INPUT, 2) and "FT814" in result.reasons[0]
    assert "FT101: gone" in (tmp_path / "out/operators" / NAME / work.DIAGNOSIS).read_text()


def test_checkout_that_was_changed_meanwhile_is_not_committed(
    finished: Path, checkout: Path, tmp_path: Path, quick: None
):
    job = job_of(tmp_path / "out", request_of(checkout))
    result = work.worked(job, ran(finished, lambda _: (job.place / "checkout/README.md").write_text("mine")))
    assert (result.fate, result.committed) == (Fate.REJECTED, None) and "FT844" in result.reasons[0]
    assert git(checkout, "branch", "--list", "port/*") == ""


def test_branch_of_somebody_else_stays(finished: Path, checkout: Path, tmp_path: Path):
    request = request_of(checkout)
    git(checkout, "checkout", "--quiet", "-b", f"port/{NAME}")
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "by hand")
    result = work.worked(job_of(tmp_path / "out", request), ran(finished))
    assert result.fate is Fate.BAD_INPUT and "FT843" in result.reasons[0]
    assert "by hand" in git(checkout, "log", "-1", "--format=%s", f"port/{NAME}")


def test_push_only_when_asked(finished: Path, checkout: Path, tmp_path: Path, quick: None):
    git(checkout, "init", "--quiet", "--bare", str(tmp_path / "remote"))
    git(checkout, "remote", "add", "there", str(tmp_path / "remote"))
    result = work.worked(job_of(tmp_path / "a", request_of(checkout)), ran(finished))
    assert result.committed is not None and git(tmp_path / "remote", "branch") == ""
    request = request_of(checkout, checkout={"push": "there", "branches": "pushed"})
    result = work.worked(job_of(tmp_path / "b", request), ran(finished))
    assert result.committed is not None and result.committed.pushed == "there"
    assert git(tmp_path / "remote", "rev-parse", f"pushed/{NAME}").strip() == result.committed.commit
    request = request_of(checkout, checkout={"push": "nowhere", "branches": "lost"})
    result = work.worked(job_of(tmp_path / "c", request), ran(finished))
    assert (result.fate, result.exit_code) == (Fate.ENVIRONMENT, 4) and "FT842" in result.reasons[0]


def test_folder_without_a_commit_is_no_checkout(tmp_path: Path, checkout: Path):
    for folder, fields in ((tmp_path, {}), (checkout, {"into": "/tmp/{op}"}), (checkout, {"into": "kernels"})):
        with pytest.raises(FerrotileError) as caught:
            request_of(folder, checkout=fields)
        assert caught.value.code == "FT841"


def test_batch_goes_on_with_what_is_not_judged(finished: Path, tmp_path: Path, quick: None):
    """A worker dies: attempted and not judged is a failure of the batch, and the next one judges it."""
    out, request = tmp_path / "out", request_of()

    def dies(do: Any, jobs: list[Job], on_death: Any) -> Any:
        return ((k, on_death(job, -9)) for k, job in enumerate(jobs))

    summary = batch(out, request, dies)
    assert (summary.attempted, summary.judged, summary.exit_code) == (1, 0, 70) and summary.not_judged == (NAME,)
    assert "FT847" in read(out / "operators" / NAME / work.RESULT, Result).reasons[0]

    def lives(do: Any, jobs: list[Job], on_death: Any) -> Any:
        return ((k, work.worked(job, ran(finished))) for k, job in enumerate(jobs))

    summary = batch(out, request_of(), lives)
    assert (summary.attempted, summary.judged, summary.exit_code) == (1, 1, 0)
    assert json.loads((out / "summary.json").read_text())["fates"] == {"accepted": 1}
    [seen] = progress(out, read(out / plan.PLAN, Plan))
    assert [str(step.letter) for step in seen.steps] == list("PABDE") and seen.result is not None


def test_scheduler_that_loses_an_operator_fails_the_batch(tmp_path: Path):
    summary = batch(tmp_path / "out", request_of(), lambda *_: iter(()))
    assert (summary.attempted, summary.judged, summary.exit_code) == (1, 0, 70)


def test_what_was_judged_is_not_made_again(finished: Path, tmp_path: Path, quick: None):
    job = job_of(tmp_path / "out", request_of())
    first = work.worked(job, ran(finished))

    def never(*_: Any) -> confined.Ended:
        raise AssertionError("made again")

    assert work.worked(job, never) == first
    (job.place / work.RESULT).unlink()
    assert work.worked(job, never).tries == first.tries, "killed after the judgement: the try is read"
    assert read(job.place / "try1" / work.TRY, Try).judged.accepted


def test_folder_of_another_batch_is_refused(tmp_path: Path):
    out = tmp_path / "out"
    batch(out, request_of(), lambda *_: iter(()))
    for request in (request_of(tries=1), plan.batch_request([SMALL], NAME, "sm_90", {})):
        with pytest.raises(FerrotileError) as caught:
            batch(out, request, lambda *_: iter(()))
        assert caught.value.code == "FT810"


def test_operators_of_inputs(tmp_path: Path, finished: Path):
    def names(*inputs: Path, chosen: str = "all") -> list[str]:
        out = tmp_path / "-".join(path.name for path in inputs) / chosen
        request = plan.batch_request([str(path) for path in inputs], chosen, "sm_90", {})
        return [one.name for one in plan.planned(out, request).operators]

    reference = finished / "stages/A1/reference"
    for name in ("one", "two"):
        shutil.copytree(reference, tmp_path / "many" / name)
    assert names(tmp_path / "many") == ["one", "two"]
    assert names(tmp_path / "many", chosen="two") == ["two"]
    assert names(tmp_path / "many" / "one") == ["one"]
    assert {"vector_add", "softmax_rows", "attention"} <= set(names(EXAMPLES))
    assert names(reference / "vector_add.f32.tileirbc") == ["vector_add.f32"]
    for inputs, chosen, code in (
        ([tmp_path / "many"], "three", "FT840"),
        ([tmp_path / "many", tmp_path / "many/one"], "all", "FT840"),
        ([tmp_path / "gone"], "all", "FT801"),
        ([finished / "stages"], "all", "FT801"),
    ):
        with pytest.raises(FerrotileError) as caught:
            names(*inputs, chosen=chosen)
        assert caught.value.code == code


def test_a_command_is_given_to_all_operators_or_to_one(tmp_path: Path):
    agents = {"author": "all", "host": "all", f"{NAME}:author": "one", "other:host": "none"}
    request = request_of(agents=agents)
    words = work.command(job_of(tmp_path, request), tmp_path / "run")
    assert [words[k + 1] for k, word in enumerate(words) if word == "--agent"] == ["author=one", "host=all"]
    with pytest.raises(FerrotileError) as caught:
        plan.planned(tmp_path, request)
    assert caught.value.code == "FT840" and "other" in caught.value.message


def test_terminal_shows_operators_by_stages(
    finished: Path, tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
):
    """The table is asked for again and again while a batch works."""

    def here(_: Any, jobs: list[Job], __: Any) -> Any:
        for k, job in enumerate(jobs):
            result = work.worked(job, ran(finished))
            time.sleep(1.2)
            yield k, result

    monkeypatch.setattr(batch_command, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(drive, "run_all", lambda do, jobs, *_: here(do, jobs, None))
    result = CliRunner().invoke(app, ["batch", SMALL, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "COMPILED" in result.output and "1 attempted, 1 judged: 1 accepted" in result.output


def test_command_line_names_what_is_wrong(tmp_path: Path):
    result = CliRunner().invoke(app, ["batch", SMALL, "--out", str(tmp_path / "out"), "--ops", "none", "--json"])
    assert result.exit_code == 2 and json.loads(result.output)["code"] == "FT840"
    result = CliRunner().invoke(app, ["batch", SMALL, "--out", str(tmp_path / "b"), "--ops", ",", "--json"])
    assert result.exit_code == 2 and json.loads(result.output)["code"] == "FT840"


def test_git_that_fails_says_why(checkout: Path):
    with pytest.raises(FerrotileError, match="git log") as caught:
        worktree.git(checkout, "log", "no-such-commit")
    assert caught.value.code == "FT842"
