"""Whole batches, each run in a confined process: sabotage is not accepted, and a killed worker loses nothing."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from test_operators_batch import git
from typer.testing import CliRunner

from ferrotile.cli.main import app
from ferrotile.core import FerrotileError
from ferrotile.workflow.operators import cluster, plan
from ferrotile.workflow.operators.drive import batch

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


def worker_of(folder: Path) -> int | None:
    """The process that waits for the run of an operator."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            if len(words) > 3 and words[3].endswith(b"warden.py") and f"{folder}/".encode() in words[4]:
                return int((path / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return None


def kill_in_the_middle(place: Path, killed: list[str]) -> None:
    """Kill -9 the worker of an operator once its author has answered; `killed` gets the journal of that moment."""
    journal = place / "try1/run/journal.json"
    until = time.monotonic() + 300
    while time.monotonic() < until:
        text = journal.read_text() if journal.exists() else ""
        if '"COMPILED"' in text and (process := worker_of(place)) is not None:
            os.kill(process, signal.SIGKILL)
            killed.append(text)
            return
        time.sleep(0.02)


@pytest.mark.sweep
def test_worker_of_a_cluster_that_is_killed_loses_nothing(finished: Path, tmp_path: Path):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    source = captures(finished, tmp_path / "captured", "one", "two")
    out, killed = tmp_path / "out", list[str]()
    request = plan.batch_request([str(source)], "all", "sm_90", {})
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(resources={"cpu": 1}, **options) as local:
        killer = threading.Thread(target=kill_in_the_middle, args=(out / "operators" / "two", killed))
        killer.start()
        summary = batch(out, request, cluster.on_cluster(local.scheduler_address, 2))
        killer.join()
    assert (summary.attempted, summary.judged, summary.exit_code) == (2, 2, 0), summary
    before = json.loads(killed[0])["entries"]
    after = json.loads((out / "operators/two/try1/run/journal.json").read_text())["entries"]
    done = [entry for entry in before if entry["ended"]]
    assert len(done) >= 3 and after[: len(done)] == done, "what was finished was not made again"
    assert not (out / "operators/two/try2").exists()
