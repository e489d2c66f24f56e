"""`ferrotile verify` as a user calls it."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrotile.cli.main import app

runner = CliRunner()
EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.py"


@pytest.fixture(scope="session")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that translate wrote, with two bundles."""
    folder = tmp_path_factory.mktemp("translated")
    assert runner.invoke(app, ["translate", str(EXAMPLE), "--out", str(folder)]).exit_code == 0
    return folder


def lines(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def test_every_bundle_of_a_folder_is_verified(translated: Path):
    result = runner.invoke(app, ["verify", str(translated), "--json"])
    answers = lines(result.stdout)
    assert (result.exit_code, len(answers)) == (0, 2), result.stdout
    for answer in answers:
        assert (answer["ok"], answer["verdict"], answer["code"]) == (True, "EQUAL", None)
        outcomes = {step["name"]: step["outcome"] for step in answer["steps"]}
        assert outcomes["numbers"] == outcomes["kernel.rs"] == outcomes["python source"] == "held"


def test_offline_says_what_it_left_out(translated: Path):
    result = runner.invoke(app, ["verify", "--offline", str(translated / "vector_add.f32")])
    assert result.exit_code == 0
    assert "vector_add.f32: EQUAL; 5 of 6 claims replayed, all true" in result.stdout
    assert "skipped machine code: not recorded: translated without `--sass`" in result.stdout
    assert "numbers" not in result.stdout


def test_tampered_bundle_is_named_and_the_worst_decides(translated: Path, tmp_path: Path):
    bad = tmp_path / "bad"
    shutil.copytree(translated / "vector_add.f32", bad)
    (bad / "lowered.tileirbc").write_bytes((bad / "reference.tileirbc").read_bytes())
    good = str(translated / "vector_add.f16-any-length")
    result = runner.invoke(app, ["verify", "--offline", good, str(bad), "--json"])
    fine, wrong = lines(result.stdout)
    assert (result.exit_code, fine["ok"], wrong["ok"], wrong["code"]) == (1, True, False, "FT613")
    shown = runner.invoke(app, ["verify", "--offline", str(bad)]).stdout
    assert "FAILED  files: FT613: `lowered.tileirbc` is not the file that was proved" in shown
    assert "FAILED  kernel.rs: FT615" in shown
    (bad / "proof.json").write_text("{")
    result = runner.invoke(app, ["verify", "--offline", good, str(bad), "--json"])
    assert (result.exit_code, lines(result.stdout)[1]["code"]) == (2, "FT610")


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_what_is_no_bundle_is_your_input(tmp_path: Path, folder: str):
    result = runner.invoke(app, ["verify", str(tmp_path / folder), "--json"])
    assert (result.exit_code, lines(result.stdout)[0]["code"]) == (2, "FT610")


def test_what_cannot_be_replayed_here_is_no_success(translated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ferrotile import lower
    from ferrotile.core import EnvironmentFault

    def is_absent(*_: object) -> None:
        raise EnvironmentFault("FT401", "the native extension cannot be loaded")

    monkeypatch.setattr(lower, "lower", is_absent)
    result = runner.invoke(app, ["verify", "--offline", str(translated / "vector_add.f32")])
    assert result.exit_code == 4 and result.stdout.startswith("PART")
    assert "skipped kernel.rs: not replayed: the native extension cannot be loaded" in result.stdout
