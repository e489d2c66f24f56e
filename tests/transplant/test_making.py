"""Cases of bundles: what is launched, what is right, what is refused; and the command."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ferrotile import capture, workflow
from ferrotile.bundle import read, write
from ferrotile.capture.index import ArrayArgument, Exported, Index, Launch
from ferrotile.cli.main import app
from ferrotile.core import EnvironmentFault, InputError, Unsupported, VerdictKind, store, tools
from ferrotile.transplant import Asked, Case, Right, Setting, TorchDevice, Transplant, make_case, read_case
from ferrotile.workflow import Given

pytestmark = pytest.mark.usefixtures("unassembled")


def made(bundle: Path, tmp_path: Path, asked: Asked | None = None, right: Right | None = None) -> Case:
    return make_case(bundle, tmp_path / "case", Setting(asked or Asked(), right or Right()))


def test_the_grid_is_one_that_goes_well(add: Path, tmp_path: Path) -> None:
    """256 elements are one tile of 1024: more blocks would begin outside of the arrays."""
    case = made(add, tmp_path)
    assert case.grid == (1, 1, 1) and case.oracle == "the interpreter" and case.notes == ()


def test_where_interpretation_finds_a_fault_it_is_no_oracle(add: Path, tmp_path: Path) -> None:
    case = made(add, tmp_path, Asked(grid=(2, 2)))
    assert case.oracle is None and case.grid == (2, 2, 1) and case.tolerances == {}
    assert case.notes[0].startswith("no oracle: the interpreter finds `view-index`")


def test_only_what_changes_is_recorded_twice(add: Path, tmp_path: Path) -> None:
    case = made(add, tmp_path)
    assert [array.after for array in case.arrays] == [None, None, "array-2.after"]
    a, b, total = (np.fromfile(tmp_path / "case" / f"array-{at}.{when}", np.float32) for at, when in FILES)
    np.testing.assert_array_equal(a + b, total)


FILES = ((0, "before"), (1, "before"), (2, "after"))


def test_the_smallest_launch_of_a_capture_is_launched_again(add: Path, tmp_path: Path) -> None:
    """With its extents, its offsets, and its grid."""
    bytecode = (add / "reference.tileirbc").read_bytes()
    store.write_bytes(tmp_path / "recorded" / "add.tileirbc", bytecode)
    launches = tuple(
        Launch(
            grid=(size // 1024,),
            arguments=(ArrayArgument(dtype="float32", shape=(size,), strides=(1,), offset=16),) * 3,
        )
        for size in (8192, 2048)
    )
    row = Exported(
        module="vector_add", kernel="vector_add", symbol=None, hints={}, parameters=("a", "b", "total"), source="x.py",
        line=1, via="launch", launches=launches, launch_count=2, name=add.name, file="add.tileirbc",
        sha256=hashlib.sha256(bytecode).hexdigest(),
    )  # fmt: skip
    index = Index(
        command=("x",), exit_code=0, target="sm_90", tune="first", cuda_tile="1.7.0", is_pretended=True,
        has_placeholders=False, exported=(row,), unexported=(),
    )  # fmt: skip
    store.write_text(tmp_path / "recorded" / capture.INDEX, index.to_text())
    case = made(add, tmp_path, Asked(recording=tmp_path / "recorded"))
    assert case.grid == (2, 1, 1) and case.oracle == "the interpreter"
    assert (case.arrays[0].name, case.arrays[0].shape, case.arrays[0].offset) == ("a", (2048,), 16)
    store.write_text(tmp_path / "recorded" / capture.INDEX, index.model_copy(update={"exported": ()}).to_text())
    with pytest.raises(InputError, match=r"FT710.*has no launch of `vector_add.f32`"):
        made(add, tmp_path, Asked(recording=tmp_path / "recorded"))


def test_a_program_put_there_by_hand_runs_and_is_told(add: Path, tmp_path: Path) -> None:
    (add / "lowered.tileirbc").write_bytes((add / "reference.tileirbc").read_bytes())
    case = made(add, tmp_path)
    assert case.ours.entry == case.reference.entry and "not the file that was proved" in case.notes[0]


def test_what_cannot_be_a_case_is_refused(add: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = read(add)
    with pytest.raises(InputError, match=r"FT806.*no array `other`"):
        made(add, tmp_path, right=Right(expected={"other": "x.npy"}))
    np.save(tmp_path / "short.npy", np.zeros(3, np.float32))
    with pytest.raises(InputError, match=r"FT806.*`total` is float32\[256\]"):
        made(add, tmp_path, right=Right(expected={"total": str(tmp_path / "short.npy")}))
    with pytest.raises(InputError, match=r"FT806.*is no .npy file"):
        made(add, tmp_path, right=Right(expected={"total": str(tmp_path / "missing.npy")}))
    with pytest.raises(InputError, match="FT806"):
        made(add, tmp_path, Asked(Given({"a": "256"})))
    assert proof.parameters is not None
    fewer = type(proof.parameters)(proof.parameters.reference, proof.parameters.lowered[:-1])
    write(add, proof.model_copy(update={"parameters": fewer}))
    with pytest.raises(InputError, match=r"FT641.*`ours` has 9 parameters, and the map in proof.json 8"):
        made(add, tmp_path)
    monkeypatch.setattr(tools, "assemble", lambda *given, **more: tools.Assembled(None, "error: no", False, 0.0))
    with pytest.raises(Unsupported, match=r"FT605.*does not compile `reference` for sm_90: error: no"):
        made(add, tmp_path)
    (add / "kernel.rs").unlink()
    with pytest.raises(InputError, match=r"FT613.*kernel.rs` is missing"):
        made(add, tmp_path)


def test_a_refused_kernel_has_nothing_to_launch(add: Path, tmp_path: Path) -> None:
    claims = {"verdict": VerdictKind.REFUSED, "code": "FT620", "parameters": None, "specialization": None}
    write(add, read(add).model_copy(update=claims))
    with pytest.raises(InputError, match=r"FT641.*has one program only: `vector_add` is REFUSED"):
        made(add, tmp_path)


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["transplant", *map(str, arguments)])


def test_the_command_packs_a_case(add: Path, tmp_path: Path) -> None:
    ran = invoke(add, "--pack", tmp_path / "case", "--grid", "1", "--oracle", "reference", "--json")
    told = json.loads(ran.stdout)
    assert ran.exit_code == 0 and told["grid"] == [1, 1, 1] and told["oracle"] is None
    assert read_case(tmp_path / "case").kernel == "vector_add"
    ran = invoke(add, "--pack", tmp_path / "case")
    assert ran.exit_code == 0 and "right is what the interpreter says" in ran.stdout


def test_tolerances_are_those_of_an_analysis(add: Path, tmp_path: Path) -> None:
    analysis = {"format": 1, "target": "sm_90", "variants": [], "tolerances": {"f32": {"atol": 0.25, "rtol": 0.0}}}
    store.write_json(tmp_path / "analysis.json", analysis)
    ran = invoke(add, "--pack", tmp_path / "case", "--analysis", tmp_path / "analysis.json", "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["tolerances"] == {"f32": {"atol": 0.25, "rtol": 0.0}}


def test_the_command_refuses_what_it_cannot_do(add: Path, tmp_path: Path) -> None:
    invoke(add, "--pack", tmp_path / "case")
    assert json.loads(invoke(tmp_path / "case", "--grid", "2", "--json").stdout)["code"] == "FT902"
    assert json.loads(invoke(add, "--oracle", "torch", "--json").stdout)["code"] == "FT902"
    assert json.loads(invoke(tmp_path, "--json").stdout)["code"] == "FT610"


@pytest.mark.parametrize(
    ("name", "code"), [("right", 0), ("wrong kernel", 1), ("wrong packing", 1), ("swapped map", 5), ("flaky", 5)]
)
def test_the_exit_code_says_whether_an_owner_is_named(
    add: Path, run: Callable[[str], Transplant], name: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ferrotile.transplant.cells.transplant", lambda folder, launches: run(name))
    ran = invoke(add)
    assert ran.exit_code == code and str(run(name).decision.answer) in ran.stdout
    ran = invoke(add, "--json")
    assert ran.exit_code == code and json.loads(ran.stdout)["answer"] == run(name).decision.answer


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is here, and may find a GPU")
def test_without_torch_the_command_says_so(add: Path) -> None:
    ran = invoke(add, "--json")
    assert ran.exit_code == 4 and json.loads(ran.stdout)["code"] == "FT642"


def test_the_pack_of_the_device_tests_has_the_cases_that_they_name(
    translated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = Path(__file__).parents[1] / "gpu"
    monkeypatch.syspath_prepend(str(gpu))
    packing = importlib.import_module("pack_transplant")
    for name in ("softmax_rows", "matmul"):
        for task in workflow.expand([str(gpu.parents[1] / "examples" / f"{name}.py")], workflow.Options()):
            workflow.translate(task, workflow.Options(out=translated))
    cases = packing.pack(tmp_path, translated)
    named = set(re.findall(r'"((?:right|wrong)-\w+)"', (gpu / "test_transplant_on_device.py").read_text()))
    assert set(cases) == named and all(case.oracle == "the interpreter" for case in cases.values())
    assert [bool(case.notes) for case in cases.values()] == [name == "wrong-kernel" for name in cases]
    assert {path.name for path in (tmp_path / packing.FOLDER).iterdir()} == named


def test_torch_without_a_gpu_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda: False))
    monkeypatch.setitem(sys.modules, "torch", torch)
    with pytest.raises(EnvironmentFault, match=r"FT642.*torch finds no GPU here") as refused:
        TorchDevice()
    assert "--pack" in (refused.value.hint or "")
