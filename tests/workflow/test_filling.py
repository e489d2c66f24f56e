"""Times of a bench in a copy of an analysis.json: those of its own variants, and only those that count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ferrotile.bench.device import Timing
from ferrotile.cli.main import app
from ferrotile.core import InputError
from ferrotile.workflow import fill_analysis
from ferrotile.workflow.run import artifacts as a

TIMES = {
    "reference": (4000, 4500, 5500, 6000),
    "ours": (3000, 3400, 3600, 9000),
    "machine": "identical",
    "kernel": "add",
}


def analysis(folder: Path, *names: str) -> Path:
    variants = tuple(
        a.Variant(
            name=name, input="x.py", kernel="add", symbol="add", structure="0", reference=f"reference/{name}",
            sha256="0", operations=1, python=None, parameters=None, dtypes=(), hints={},
        )
        for name in names
    )  # fmt: skip
    a.write(folder / "analysis.json", a.Analysis(target="sm_90", variants=variants))
    return folder / "analysis.json"


def timing(name: str, **fields: Any) -> Timing:
    return Timing(name=name, **{"device": "a GPU", **TIMES, **fields})


def test_variants_get_their_medians(tmp_path: Path) -> None:
    file, out = analysis(tmp_path, "one", "two", "three", "four"), tmp_path / "filled.json"
    when = {"date": "2026-11-30", "versions": {"cutile": "0.5.0"}}
    timings = [timing("one", **when), timing("two", void="FT714: died"), timing("three", device=""), timing("other")]
    filled = fill_analysis(file, timings, out)
    assert filled.measured == ("one",)
    assert filled.missing == {
        "two": "FT714: died", "three": "its times do not name the GPU", "four": "no pair has its name",
    }  # fmt: skip
    measured = a.read(out, a.Analysis).measured
    ratio = timing("one").ratio
    assert ratio is not None
    times = {"baseline_us": 5.0, "lowered_us": 3.5, "ratio": (ratio.value, ratio.low, ratio.high)}
    about = {"device": "a GPU", "baseline": "cutile-python", "date": "2026-11-30", "versions": {"cutile": "0.5.0"}}
    assert measured == {"one": a.Measured(**about, **times)}
    assert a.read(file, a.Analysis).measured == {}, "the run's own file stays as it is"


def test_nothing_is_written_without_times(tmp_path: Path) -> None:
    file, out = analysis(tmp_path, "one"), tmp_path / "filled.json"
    with pytest.raises(InputError, match=r"no variant of .* was measured: `one`: no pair has its name") as refused:
        fill_analysis(file, [timing("other")], out)
    assert refused.value.code == "FT716" and not out.exists()


def test_the_analysis_of_a_run_is_not_written_over(tmp_path: Path) -> None:
    file = analysis(tmp_path, "one")
    before = file.read_bytes()
    with pytest.raises(InputError, match="is not written over"):
        fill_analysis(file, [timing("one")], tmp_path / "." / "analysis.json")
    assert file.read_bytes() == before


def test_command_says_what_it_did(tmp_path: Path) -> None:
    file, times, out = analysis(tmp_path, "one", "two"), tmp_path / "times.jsonl", tmp_path / "filled.json"
    times.write_text(timing("one").to_json() + "\n")
    result = CliRunner().invoke(app, ["bench", "fill", str(times), str(file), "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "file": str(out), "measured": ["one"], "missing": {"two": "no pair has its name"},
    }  # fmt: skip
    assert list(a.read(out, a.Analysis).measured) == ["one"]
