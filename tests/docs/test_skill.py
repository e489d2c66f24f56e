"""The skill: its examples do what its pages say of them, its links lead somewhere, its script reports what holds."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ferrotile.cli.main import app

SKILL = Path(__file__).parents[2] / "skills" / "ferrotile"
EXAMPLES = SKILL / "examples"
PORT = EXAMPLES / "port" / "scale_rows.py"


def told(*words: object) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and JSON lines of a command."""
    result = CliRunner().invoke(app, [*map(str, words), "--json"])
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_port_is_the_text_that_is_shown(tmp_path: Path):
    code, lines = told("translate", PORT, "--out", tmp_path)
    assert (code, lines[0]["verdict"]) == (0, "EQUAL")
    assert (tmp_path / "scale_rows.f32" / "kernel.rs").read_text() == (EXAMPLES / "port/kernel.rs").read_text()


def test_port_runs(tmp_path: Path):
    rng = np.random.default_rng(0)
    x, factors = rng.random((7, 80), np.float32), rng.random(7, np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "factors.npy", factors)
    inputs = ["-i", f"x={tmp_path / 'x.npy'}", "-i", f"factors={tmp_path / 'factors.npy'}", "-i", "y=7x80"]
    code, _ = told("interpret", f"{PORT}::scale_rows", *inputs, "--grid", "2,2", "--out", tmp_path)
    assert code == 0 and np.array_equal(np.load(tmp_path / "y.npy"), x * factors[:, None])


def test_refused_example_is_refused_and_its_cure_is_not(tmp_path: Path):
    code, lines = told("translate", EXAMPLES / "refused/refused.py")
    assert (code, lines[0]["verdict"], lines[0]["code"]) == (3, "REFUSED", "FT305")
    assert "the maximum, then the least index" in lines[0]["hint"], "cured.py says that the refusal names its cure"
    code, lines = told("translate", EXAMPLES / "refused/cured.py")
    assert (code, lines[0]["verdict"]) == (0, "EQUAL")


@pytest.mark.slow
def test_script_reports_the_kernel_that_was_written_by_hand(tmp_path: Path):
    author = f"author={shlex.quote(sys.executable)} {EXAMPLES / 'by_hand/author.py'} {{prompt}}"
    command = [sys.executable, SKILL / "scripts/port.py", PORT, tmp_path / "run", "--agent", author]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0] == "ACCEPTED after P1 A1 B1 D1 E1"
    made = tmp_path / "run/stages/B1/bundles/scale_rows.f32/kernel.rs"
    assert made.read_text() == (EXAMPLES / "by_hand/kernel.rs").read_text()


def test_links_of_the_skill_lead_to_files():
    for page in SKILL.rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_skill_says_when_it_is_for():
    head = (SKILL / "SKILL.md").read_text().split("---")[1]
    assert "name: ferrotile" in head and "Use when" in head and "Not for" in head and len(head) < 1100
