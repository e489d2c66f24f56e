"""analysis.json by kernel: constants, guards, grid rules; what it may not claim; and its published schema."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ferrotile import capture
from ferrotile.core import FerrotileError
from ferrotile.workflow import run as runs
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import Context
from ferrotile.workflow.stages import analyst

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """vector_add for float32."""
    (path, kernel, row) = next(one for one in capture.discover(ROOT / "examples") if one[1] == "vector_add")
    del tmp_path_factory
    return capture.export(path, kernel, row, "sm_90")[0].bytecode


def analysed(folder: Path, program: bytes, blocks: tuple[int, ...]) -> tuple[Context, Path, a.Analysis]:
    """The analysis of a capture in which vector_add was launched with so many blocks."""
    captured, made = folder / "captured", folder / "made"
    captured.mkdir()
    (captured / "add.tileirbc").write_bytes(program)
    launches = []
    for count in blocks:
        array = {"kind": "array", "dtype": "float32", "shape": [1024 * count - 16], "strides": [1]}
        launches.append({"grid": [count], "arguments": [array] * 3 + [{"kind": "constant", "value": 1024}]})
    one = {
        "module": "m", "kernel": "vector_add", "symbol": None, "hints": {}, "source": "m.py", "line": 1,
        "parameters": ["a", "b", "total", "TILE"], "via": "launch", "launches": launches, "launch_count": len(blocks),
        "name": "add", "file": "add.tileirbc", "sha256": hashlib.sha256(program).hexdigest(), "operators": ["lib.add"],
    }  # fmt: skip
    index = {
        "command": [], "exit_code": 0, "target": "sm_90", "tune": "first", "cuda_tile": "1.7.0", "is_pretended": True,
        "has_placeholders": False, "exported": [one], "unexported": [],
    }  # fmt: skip
    (captured / "index.json").write_text(capture.Index.model_validate(index).to_text())
    context = Context(folder, runs.request_of(str(captured), "sm_90", {}))
    analyst.make(context, made)
    return context, made, a.read(made / analyst.FILE, a.Analysis)


def test_a_kernel_has_constants_guards_and_a_rule_for_its_grid(program: bytes, tmp_path: Path) -> None:
    context, made, analysis = analysed(tmp_path, program, (3, 7))
    analyst.confirm(context, made)
    (kernel,) = analysis.kernels
    (value,) = kernel.constants["TILE"]
    assert (kernel.name, kernel.variants, kernel.dtypes) == ("vector_add", ("add",), analysis.variants[0].dtypes)
    assert kernel.guards == {"add": f"TILE == {value}"}
    assert kernel.grid is not None and kernel.grid.axes == ("cdiv(a.shape[0], TILE)", "1", "1")
    assert kernel.grid.equal == (("a.shape[0]", "b.shape[0]"), ("a.shape[0]", "total.shape[0]"))
    assert (kernel.grid.launches, kernel.why_no_grid, analysis.operator) == (2, None, "lib.add")
    assert analysis.versions["cuda-tile"] and analysis.measured == {} and analysis.workspaces is None


def test_what_one_launch_does_not_say_is_not_said(program: bytes, tmp_path: Path) -> None:
    _, _, analysis = analysed(tmp_path, program, (3,))
    (kernel,) = analysis.kernels
    assert kernel.grid is None and kernel.why_no_grid == "one launch says too little of the grid's x, which is 3"


WRONG: tuple[tuple[str, Any], ...] = (
    ("grid", lambda kernel: kernel["grid"].update(axes=["cdiv(a.shape[0], 512)", "1", "1"])),
    ("guards", lambda kernel: kernel["guards"].update(add="TILE == 2")),
    ("constants", lambda kernel: kernel["constants"].update(TILE=["2"])),
)


@pytest.mark.parametrize(("field", "spoil"), WRONG, ids=[name for name, _ in WRONG])
def test_a_claim_that_the_input_does_not_bear_out_is_refused(
    program: bytes, tmp_path: Path, field: str, spoil: Any
) -> None:
    context, made, _ = analysed(tmp_path, program, (3, 7))
    value = json.loads((made / analyst.FILE).read_text())
    spoil(value["kernels"][0])
    (made / analyst.FILE).write_text(json.dumps(value))
    with pytest.raises(FerrotileError) as caught:
        analyst.confirm(context, made)
    assert caught.value.code == "FT812" and f"`{field}`" in caught.value.message


def test_a_run_without_a_bench_has_no_times(program: bytes, tmp_path: Path) -> None:
    context, made, _ = analysed(tmp_path, program, (3, 7))
    value = json.loads((made / analyst.FILE).read_text())
    value["measured"] = {"add": {"device": "x", "baseline": "cutile-python", "baseline_us": 2.0, "lowered_us": 1.0}}
    (made / analyst.FILE).write_text(json.dumps(value))
    with pytest.raises(FerrotileError) as caught:
        analyst.confirm(context, made)
    assert caught.value.code == "FT812" and "no bench was run" in caught.value.message


def test_the_published_schema_is_that_of_the_model() -> None:
    assert json.loads((ROOT / "docs" / "analysis.schema.json").read_text()) == a.schema(a.Analysis)
