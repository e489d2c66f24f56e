"""`accept` believes nothing: every edit of a finished run is found, whether it was sealed again or not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import SMALL, VARIANTS, copied, edited, sealed
from typer.testing import CliRunner

from ferrotile.cli.main import app
from ferrotile.core import tools
from ferrotile.workflow import run as runs
from ferrotile.workflow.run import acceptance
from ferrotile.workflow.run.contract import STAGES, artifact_of
from ferrotile.workflow.run.words import Letter
from ferrotile.workflow.stages import table

FIRST = VARIANTS[0]
BUNDLE = f"stages/B1/bundles/{FIRST}"
Edit = Callable[[dict[str, Any]], object]


@pytest.fixture
def run_copy(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to spoil. For time's sake, no claim is made again unless a test says so."""
    confirm_only(monkeypatch, "")
    return copied(finished, tmp_path / "copy")


def confirm_only(monkeypatch: pytest.MonkeyPatch, letters: str) -> None:
    """Make the claims of these stages again, and machine code from the cache."""
    monkeypatch.setattr(tools, "assemble_afresh", tools.assemble)
    stages = {k: row if k in letters else replace(row, confirm=lambda *_: None) for k, row in table.STAGES.items()}
    monkeypatch.setattr(acceptance, "STAGES", stages)


def wrong(root: Path) -> dict[str, str | None]:
    """Name and code of every check that fails; the run must not be accepted."""
    answer = runs.accept(root)
    assert not answer.accepted and answer.exit_code == 1, [check for check in answer.checks if not check.holds]
    return {check.name: check.code for check in answer.checks if not check.holds}


def test_finished_run_is_accepted_with_machine_code_made_afresh(finished: Path):
    answer = runs.accept(finished)
    assert answer.accepted and answer.exit_code == 0, [check for check in answer.checks if not check.holds]
    assert [check.name for check in answer.checks if check.name.endswith("verdict")] == [
        f"{letter}1 verdict" for letter in "PABDE"
    ]


def test_only_accept_says_accepted(run_copy: Path):
    result = CliRunner().invoke(app, ["accept", str(run_copy)])
    assert result.exit_code == 0 and result.output.splitlines()[-1].startswith("ACCEPTED")
    (run_copy / "outcome.json").write_text('{"ACCEPTED": true}')
    result = CliRunner().invoke(app, ["accept", str(run_copy), "--json"])
    assert result.exit_code == 1 and json.loads(result.output)["accepted"] is False


FORGERIES: list[tuple[str, str, Edit, str]] = [
    ("A1", "analysis.json", lambda a: a["variants"][0].update(dtypes=["f64"]), "FT812"),
    ("A1", "analysis.json", lambda a: a["variants"][0]["parameters"][0].update(align=1), "FT812"),
    ("A1", "analysis.json", lambda a: a["variants"].pop(), "FT812"),
    ("A1", "analysis.json", lambda a: a.update(target="sm_100"), "FT812"),
    ("A1", "analysis.json", lambda a: a["variants"][0].update(reference="../B1/author.json"), "FT812"),
    ("B1", "author.json", lambda a: a["translations"][0].update(unsafe=0), "FT812"),
    ("B1", "author.json", lambda a: a["translations"].reverse(), "FT812"),
    ("B1", f"bundles/{FIRST}/proof.json", lambda a: a.update(unsafe=0), "FT812"),
    ("D1", "host.json", lambda a: a["results"][0].update(sentence="9 elements"), "FT812"),
    ("D1", "host.json", lambda a: a["results"].pop(), "FT812"),
    ("D1", "host.json", lambda a: a.update(how="on a B200"), "FT811"),
    ("E1", "performance.json", lambda a: a["rows"][0].update(instructions=[1, 1]), "FT812"),
    ("E1", "performance.json", lambda a: a["rows"][0].update(geomean_ratio=9.99), "FT811"),
    ("E1", "performance.json", lambda a: a.update(format=2), "FT811"),
]


@pytest.mark.parametrize(
    ("step", "name", "edit", "code"), FORGERIES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_edited_and_sealed_artifact_is_found(
    run_copy: Path, step: str, name: str, edit: Edit, code: str, monkeypatch: pytest.MonkeyPatch
):
    confirm_only(monkeypatch, step[0])
    edited(run_copy / "stages" / step / name, edit)
    sealed(run_copy, step)
    assert wrong(run_copy).get(f"{step} verdict") == code


def test_kernel_text_that_was_edited_is_found(run_copy: Path, monkeypatch: pytest.MonkeyPatch):
    confirm_only(monkeypatch, "B")
    path = run_copy / BUNDLE / "kernel.rs"
    path.write_text(path.read_text() + "\n")
    sealed(run_copy, "B1")
    assert wrong(run_copy)["B1 verdict"] == "FT613"


def test_reference_of_another_kernel_is_found(run_copy: Path, monkeypatch: pytest.MonkeyPatch):
    """Reference, analysis and all: what the input gives again is something else."""
    confirm_only(monkeypatch, "A")
    folder = run_copy / "stages" / "A1"
    first, second = (folder / f"reference/{name}.tileirbc" for name in VARIANTS)
    shutil.copy(second, first)

    def swap(analysis: dict[str, Any]) -> None:
        one, other = analysis["variants"]
        kept = {key: one[key] for key in ("name", "input", "reference")}
        one.update({**other, **kept})

    edited(folder / "analysis.json", swap)
    sealed(run_copy, "A1")
    assert wrong(run_copy)["A1 verdict"] == "FT812"


def test_without_the_input_the_reference_is_taken_as_given_and_said_so(run_copy: Path):
    edited(run_copy / "request.json", lambda request: request.update(input="gone.py"))
    answer = runs.accept(run_copy)
    assert answer.accepted
    assert "taken as given" in next(check.sentence for check in answer.checks if check.name == "A1 verdict")


@pytest.mark.parametrize("path", ["journal.json", "outcome.json", "request.json"])
def test_broken_file_of_the_run_is_found(run_copy: Path, path: str):
    (run_copy / path).write_text("{")
    assert wrong(run_copy) == {"run": "FT811"}


def test_edit_that_was_not_sealed_is_found(run_copy: Path):
    edited(run_copy / "stages/D1/host.json", lambda host: host["results"].pop())
    assert wrong(run_copy) == {"D1 files": "FT813"}


def test_verdict_that_was_not_computed_is_found(run_copy: Path):
    edited(run_copy / "stages/E1/manifest.json", lambda manifest: manifest.update(word="INVESTIGATE"))
    sealed(run_copy, "E1")
    edited(run_copy / "journal.json", lambda journal: journal["entries"][-1].update(word="INVESTIGATE"))
    assert wrong(run_copy)["E1 verdict"] == "FT812"


def test_journal_that_leaves_out_a_stage_is_found(run_copy: Path):
    edited(run_copy / "journal.json", lambda journal: journal["entries"].pop(3))
    shutil.rmtree(run_copy / "stages/D1")
    assert wrong(run_copy) == {"E1 files": "FT815"}


def test_run_that_has_not_ended_is_not_accepted(run_copy: Path):
    edited(run_copy / "journal.json", lambda journal: journal["entries"].pop())
    assert wrong(run_copy) == {"files": "FT815", "route": "FT815"}


def test_outcome_that_is_not_that_of_the_stages_is_found(run_copy: Path):
    edited(run_copy / "outcome.json", lambda outcome: outcome.update(gaps=["none"]))
    assert wrong(run_copy) == {"outcome": "FT812"}


@pytest.mark.parametrize("path", ["stages/E1/notes.md", "stages/X1/a.json", "extra.txt", f"{BUNDLE}/other.rs"])
def test_file_outside_the_contract_is_found(run_copy: Path, path: str):
    (run_copy / path).parent.mkdir(exist_ok=True)
    (run_copy / path).write_text("")
    assert wrong(run_copy)["files"] == "FT815"


def test_link_out_of_the_run_is_found(run_copy: Path):
    path = run_copy / "stages/E1/performance.json"
    kept = path.rename(run_copy.parent / "performance.json")
    path.symlink_to(kept)
    assert wrong(run_copy) == {"files": "FT020", "E1 files": "FT020"}


@pytest.mark.parametrize("row", [row for row in STAGES if row.is_needed], ids=lambda row: row.path)
def test_needed_file_that_is_missing_is_found(run_copy: Path, row: Any):
    for path in (run_copy / "stages").glob(f"{row.letter}1/{row.path}"):
        path.unlink()
    if row.letter in (Letter.IR_DIFF, Letter.RESIDUAL):
        assert not list((run_copy / "stages").glob(f"{row.letter}1")), "only after a failure"
        return
    assert wrong(run_copy)["files"] == "FT815"


def test_folder_without_a_run_is_no_run(tmp_path: Path):
    answer = runs.accept(tmp_path)
    assert (answer.exit_code, answer.checks[0].code) == (2, "FT814")
    assert CliRunner().invoke(app, ["accept", str(tmp_path)]).exit_code == 2


def test_every_artifact_has_a_schema_that_takes_no_more(finished: Path):
    for letter in Letter:
        model = artifact_of(letter).model
        assert model is not None and model.model_json_schema()["additionalProperties"] is False
    assert {entry["letter"] for entry in json.loads((finished / "journal.json").read_text())["entries"]} == set("PABDE")


def test_run_on_the_command_line_shows_each_step(run_copy: Path):
    """A run that is finished is shown as it went, and begins nothing anew."""
    before = (run_copy / "journal.json").read_text()
    result = CliRunner().invoke(app, ["run", SMALL, "--out", str(run_copy), "--json"])
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert result.exit_code == 0, result.output
    assert [line.get("verdict") for line in lines] == ["OK", "PASS", "COMPILED", "ALL_PASS", "DONE", None]
    assert lines[-1]["outcome"]["end"] == "COMPLETE"
    again = CliRunner().invoke(app, ["run", SMALL, "--out", str(run_copy)])
    assert again.exit_code == 0 and again.output.count("before") == 5
    assert (run_copy / "journal.json").read_text() == before
