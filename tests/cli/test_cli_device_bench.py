"""bench pack, run and table: from a capture to a pack, from times to a table; without a GPU the reason is told."""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ferrotile import capture
from ferrotile.bench.device.plan import read_plan
from ferrotile.bench.device.timing import Timing
from ferrotile.capture.index import ArrayArgument, Exported, Index, Launch
from ferrotile.cli.main import app
from ferrotile.core import InputError

EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.py"
runner = CliRunner()


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A capture of one kernel with two launches, and the folder of its translation."""
    folder = tmp_path_factory.mktemp("capture")
    made = capture.export(EXAMPLE)[0]
    (folder / "add.tileirbc").write_bytes(made.bytecode)
    launches = tuple(
        Launch(grid=(size // 256,), arguments=(ArrayArgument(dtype="float32", shape=(size,), strides=(1,)),) * 3)
        for size in (256, 4096)
    )
    row = Exported(
        module="vector_add", kernel="vector_add", symbol=made.symbol, hints={}, parameters=made.parameters,
        source="x.py", line=1, via="launch", launches=launches, launch_count=2, name="add", file="add.tileirbc",
        sha256=hashlib.sha256(made.bytecode).hexdigest(),
    )  # fmt: skip
    index = Index(
        command=("python", "x.py"), exit_code=0, target="sm_90", tune="first", cuda_tile="1.7.0", is_pretended=True,
        has_placeholders=False, exported=(row,), unexported=(),
    )  # fmt: skip
    (folder / "index.json").write_text(index.to_text())
    bundles = tmp_path_factory.mktemp("bundles")
    result = runner.invoke(app, ["translate", str(folder), "--out", str(bundles), "--json", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    return folder, bundles


def pack(captured: tuple[Path, Path], out: Path) -> Any:
    folder, bundles = captured
    arguments = ["bench", "pack", str(bundles), "--capture", str(folder), "--out", str(out), "--bytecode", "--json"]
    return runner.invoke(app, arguments)


def test_pack_takes_the_largest_launch(captured: tuple[Path, Path], tmp_path: Path) -> None:
    result = pack(captured, tmp_path)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"folder": str(tmp_path), "target": "sm_90", "pairs": 1, "left_out": []}
    (pair,) = read_plan(tmp_path).pairs
    assert pair.name == "add" and pair.grid == (16, 1, 1) and pair.arrays[0].size == 4 * 4096


def test_pack_without_a_translation_says_so(captured: tuple[Path, Path], tmp_path: Path) -> None:
    result = pack((captured[0], tmp_path / "empty"), tmp_path / "out")
    answer = json.loads(result.stdout)
    assert result.exit_code == InputError.exit_code and answer["code"] == "FT710" and "proof.json" in answer["message"]


def test_run_without_the_packages_of_a_gpu_machine(
    captured: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(captured, tmp_path / "pack")
    wanted = importlib.import_module

    def missing(name: str, package: str | None = None) -> Any:
        if name.startswith(("cuda.bindings", "cupti")):
            raise ImportError(f"no module named {name}")
        return wanted(name, package)

    # The worker is another process: measure here, as it would.
    from ferrotile.bench.device import measure

    monkeypatch.setattr(importlib, "import_module", missing)
    measure.session.cache_clear()
    pair = read_plan(tmp_path / "pack").pairs[0]
    assert measure._measured(tmp_path / "pack", 1, pair).void.startswith("FT711: cuda-bindings cannot be imported")


def timing(name: str, ours: int) -> Timing:
    return Timing(
        name=name,
        kernel=name[0],
        machine="identical",
        reference=(1000, 1010) * 8,
        ours=(ours, ours + 10) * 8,
        same_bits=True,
    )


def test_table_of_times(tmp_path: Path) -> None:
    rows = [
        timing("a1", 1000),
        timing("b1", 1100),
        Timing(name="c1", kernel="c", machine="skipped", void="FT714: died"),
    ]
    known = Timing(name="same twice", kernel="chain", machine="skipped", reference=(1, 1), ours=(1, 1))
    file = tmp_path / "times.jsonl"
    file.write_text("".join(f"{row.to_json()}\n" for row in (known, *rows)))
    result = runner.invoke(app, ["bench", "table", str(file), "--csv", str(tmp_path / "times.csv")])
    assert result.exit_code == 0, result.output
    assert "2 configurations" in result.stdout and "void: c1: FT714: died" in result.stdout
    assert "slower than it may be: b" in result.stdout
    lines = (tmp_path / "times.csv").read_text().splitlines()
    assert len(lines) == 4 and lines[1].startswith("a1,a,identical,1.00500,1.00500,1.00000")
    plain = json.loads(runner.invoke(app, ["bench", "table", str(file), "--json"]).stdout)
    assert plain["kernels"]["a"]["ratio"][0] == 1.0 and plain["void"] == {"c1": "FT714: died"}


@pytest.mark.parametrize("text", ["nonsense", '{"name": "a"}', ""])
def test_file_without_times_is_your_input(tmp_path: Path, text: str) -> None:
    (tmp_path / "times.jsonl").write_text(text)
    result = runner.invoke(app, ["bench", "table", str(tmp_path / "times.jsonl"), "--json"])
    assert result.exit_code == 2 and json.loads(result.stdout)["code"] == "FT716"
