"""Whole batches, each run in a confined process: sabotage is not accepted, and a killed worker loses nothing."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from test_operators_batch import git
from typer.testing import CliRunner

from ferrotile.cli.main import app
from ferrotile.core import FerrotileError
from ferrotile.workflow.operators import cluster

SABOTEUR = Path(__file__).parent / "saboteur.py"


def captures(finished: Path, folder: Path, *names: str) -> Path:
    """A folder with an operator for each name, all the same small one."""
    for name in names:
        (folder / name).mkdir(parents=True)
        shutil.copy(finished / "stages/A1/reference/vector_add.f32.tileirbc", folder / name)
    return folder


@pytest.mark.slow
def test_two_sabotaged_operators_of_three_are_not_accepted_and_keep_their_diagnosis(finished: Path, tmp_path: Path):
    source = captures(finished, tmp_path / "captured", "honest", "wrong_kernel", "tampering")
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    git(checkout, "init", "--quiet")
    git(checkout, "config", "user.name", "tests")
    git(checkout, "config", "user.email", "tests@example.org")
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "start")
    agent = f"author={shlex.quote(sys.executable)} {SABOTEUR} {{prompt}}"
    options = ["--repo", str(checkout), "--agent", agent, "--agent-tries", "1", "--jobs", "1", "--json"]
    result = CliRunner().invoke(app, ["batch", str(source), "--out", str(tmp_path / "out"), *options])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1 and lines[-1]["summary"]["attempted"] == lines[-1]["summary"]["judged"] == 3
    found = {line["operator"]["name"]: line for line in lines[:-1]}
    assert {name: line["fate"] for name, line in found.items()} == {
        "honest": "accepted", "wrong_kernel": "not accepted", "tampering": "not accepted",
    }  # fmt: skip
    branches = git(checkout, "for-each-ref", "--format=%(refname:short)", "refs/heads/ferrotile").split()
    assert branches == ["ferrotile/honest"] and "author: agent" in git(checkout, "log", "-1", "--format=%B", *branches)
    for name, why in (("wrong_kernel", "DIFFERS"), ("tampering", "FT8")):
        line = found[name]
        assert len(line["tries"]) == 2 and line["committed"] is None
        folder = Path(line["diagnosis"])
        assert why in (folder / "DIAGNOSIS.md").read_text() and (folder / "try2/run/agents/B1.1/prompt.txt").exists()


def test_missing_dask_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(FerrotileError) as caught:
        cluster.on_cluster("local", 1)
    assert caught.value.code == "FT845"


def test_workers_without_the_label_are_said():
    class Client:
        def run(self, _: object) -> dict[str, dict[str, float]]:
            return {"tcp://somewhere": {"cpu": 1.0}}

    cluster._require_label(Client(), "cpu")
    with pytest.raises(FerrotileError) as caught:
        cluster._require_label(Client(), "gpu")
    assert caught.value.code == "FT846"
