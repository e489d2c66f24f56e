"""A pack: parameters resolved for each side, machine code once, and a worker that dies costs one pair."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from enum import IntEnum
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ferrotile import ir
from ferrotile.bench.device import measure, run
from ferrotile.bench.device.activity import Recorder
from ferrotile.bench.device.controls import add_controls
from ferrotile.bench.device.driver import checked
from ferrotile.bench.device.fill import content
from ferrotile.bench.device.images import compiled
from ferrotile.bench.device.pack import Array, Pair, _Arguments, pack
from ferrotile.bench.device.plan import ArrayPlan, PairPlan, SidePlan, read_plan
from ferrotile.bench.device.timing import Timing
from ferrotile.capture import export
from ferrotile.core import EnvironmentFault, InputError, ParameterMap, Role
from ferrotile.core.pool import run_all
from ferrotile.interp import roles_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.py"
X = Array("f32", (1000,), (1,))


def vector_add(**fields: object) -> Pair:
    data = export(EXAMPLE)[0].bytecode
    roles = roles_of([np.zeros(1000, np.float32)] * 3)
    made: dict[str, object] = {"name": "one", "kernel": "vector_add", "grid": (4,), "arguments": (X, X, X)}
    made |= {"reference": data, "lowered": data, "parameters": ParameterMap(roles, roles)}
    return Pair(**{**made, **fields})  # type: ignore[arg-type]


def test_pack_can_be_read_again(tmp_path: Path) -> None:
    plan, left_out = pack(tmp_path, [vector_add()], "sm_90", {"cutile": "0.5.0"})
    assert left_out == [] and read_plan(tmp_path) == plan
    (pair,) = plan.pairs
    assert pair.grid == (4, 1, 1) and [array.size for array in pair.arrays] == [4000] * 3
    assert pair.reference.image == pair.ours.image, "the same machine code is kept once"
    kinds = [(one.kind, one.value) for one in pair.reference.parameters[:3]]
    assert kinds == [("pointer", 0), ("number", 1000), ("number", 1)]


def test_maps_of_the_two_sides_are_followed(tmp_path: Path) -> None:
    roles = vector_add().parameters.reference
    swapped = (*roles[3:6], *roles[:3], *roles[6:])
    plan, _ = pack(tmp_path, [vector_add(parameters=ParameterMap(roles, swapped))], "sm_90", {})
    first = [side.parameters[0].array for side in (plan.pairs[0].reference, plan.pairs[0].ours)]
    assert first == [0, 1]


def test_list_of_arrays_becomes_a_table() -> None:
    arguments = _Arguments([7, (X, Array("f32", (4, 8), (8, 1))), X])
    kinds = [value.type for value in ir.decode(export(EXAMPLE)[0].bytecode).entries[0].regions[0].block.args]
    table = arguments.parameter(Role.scalar(1), kinds[0])
    assert table.kind == "table" and table.arrays == (1, 2) and table.rows == ((1000, 1), (4, 8, 8, 1))
    assert arguments.parameter(Role.scalar(2), kinds[1]).value == 2


def test_pair_that_does_not_compile_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ferrotile.core import tools

    monkeypatch.setattr(tools, "assemble", lambda data, target: tools.Assembled(None, "no", False, 0.0))
    plan, left_out = pack(tmp_path, [vector_add()], "sm_90", {})
    assert plan.pairs == () and "tileiras does not compile" in left_out[0]


def test_bytecode_is_compiled_where_it_is_measured(tmp_path: Path) -> None:
    packed, _ = pack(tmp_path, [vector_add()], "sm_90", {}, as_bytecode=True)
    assert packed.pairs[0].ours.image.endswith(".tileirbc")
    plan, void = compiled(tmp_path, packed, jobs=1)
    assert void == [] and plan.pairs[0].ours.image.endswith(".cubin")
    assert (tmp_path / plan.pairs[0].ours.image).read_bytes()[:4] == b"\x7fELF"


def test_bytecode_that_does_not_compile_is_void(tmp_path: Path) -> None:
    packed, _ = pack(tmp_path, [vector_add()], "sm_90", {}, as_bytecode=True)
    (tmp_path / packed.pairs[0].ours.image).write_bytes(b"no bytecode")
    plan, void = compiled(tmp_path, packed, jobs=1)
    assert plan.pairs == () and "tileiras refuses" in void[0].void


@pytest.mark.parametrize("damage", ["no plan", "not json", "no image"])
def test_damaged_pack_is_refused(tmp_path: Path, damage: str) -> None:
    plan, _ = pack(tmp_path, [vector_add()], "sm_90", {})
    match damage:
        case "no plan":
            (tmp_path / "plan.json").unlink()
        case "not json":
            (tmp_path / "plan.json").write_text("{")
        case "no image":
            (tmp_path / plan.pairs[0].ours.image).unlink()
    with pytest.raises(InputError) as caught:
        read_plan(tmp_path)
    assert caught.value.code == "FT710"


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64", "f8e5m2", "i8", "i32", "i64", "bool", "u8"])
def test_content_is_the_same_for_the_same_seed(element: str) -> None:
    array = ArrayPlan(element=element, size=4096)
    assert (content(array, [0, 1]) == content(array, [0, 1])).all()
    assert (content(array, [0, 1]) != content(array, [0, 2])).any()
    assert content(array, [0]).dtype == np.uint8 and content(array, [0]).size == 4096


def test_content_repeats_where_an_array_is_large() -> None:
    data = content(ArrayPlan(element="i8", size=(1 << 20) + 5), [0])
    assert (data[: 1 << 20][:5] == data[1 << 20 :]).all() and data.max() == 7


def test_error_of_the_driver_has_its_name() -> None:
    class Refused(IntEnum):
        CUDA_ERROR_NO_DEVICE = 100

    with pytest.raises(EnvironmentFault, match="CUDA_ERROR_NO_DEVICE") as caught:
        checked((Refused.CUDA_ERROR_NO_DEVICE, None))
    assert caught.value.code == "FT712"


def test_nothing_is_measured_by_a_harness_that_cannot_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(tmp_path, [vector_add()], "sm_90", {})
    monkeypatch.setattr(run, "calibrate", lambda folder: ([], ["the same kernel twice gives 0.9"]))
    monkeypatch.setattr(run, "measure_all", None)
    with pytest.raises(EnvironmentFault, match="the same kernel twice") as caught:
        run.run_pack(tmp_path, tmp_path / "times.jsonl", None, print)
    assert caught.value.code == "FT715" and not (tmp_path / "times.jsonl").exists()


def test_times_say_when_and_of_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(tmp_path, [vector_add()], "sm_90", {"cutile": "0.5.0"})
    timing = Timing(name="one", kernel="vector_add", machine="skipped", reference=(5, 5), ours=(5, 5), device="a GPU")
    monkeypatch.setattr(run, "calibrate", lambda folder: ([], []))
    monkeypatch.setattr(run, "measure_all", lambda *given: iter([(0, timing)]))
    before = datetime.now(UTC).date()
    run.run_pack(tmp_path, tmp_path / "times.jsonl", None, lambda line: None)
    (found,) = run.read_times(tmp_path / "times.jsonl")
    assert found.versions == {"cutile": "0.5.0"} and found.device == "a GPU"
    assert before <= date.fromisoformat(found.date) <= datetime.now(UTC).date()


def test_lost_records_make_a_run_void() -> None:
    recorder = object.__new__(Recorder)
    recorder.records = []
    recorder.cupti = SimpleNamespace(activity_flush_all=lambda flag: None)

    def launch() -> None:
        recorder.records.append((10, 30, "kernel"))

    assert recorder.times(launch, 1, lambda: None) == [20]
    with pytest.raises(EnvironmentFault) as caught:
        recorder.times(launch, 2, lambda: None)
    assert caught.value.code == "FT713"


def _dies_on_b(pair: PairPlan) -> str:
    if pair.name == "b":
        os._exit(measure.FATAL)
    return pair.name


def test_pair_that_breaks_the_context_costs_only_itself() -> None:
    side = SidePlan(image="x", entry="x", parameters=())
    pairs = [PairPlan(name=name, kernel="k", grid=(1, 1, 1), arrays=(), reference=side, ours=side) for name in "abc"]
    outcomes = dict(run_all(_dies_on_b, pairs, 1, lambda pair, code: measure._dead(pair, code).void))
    assert outcomes == {0: "a", 1: "FT714: the kernel broke the context", 2: "c"}


@pytest.mark.parametrize(("shortest", "quads"), [(2_000, 400), (1_000_000, 62), (5_000_000, 12), (100_000_000, 10)])
def test_short_kernels_are_launched_more_often(shortest: int, quads: int) -> None:
    assert measure._quads(shortest) == quads


def test_controls_are_the_sides_exchanged_and_each_against_a_copy(tmp_path: Path) -> None:
    other = vector_add(name="other")
    pack(tmp_path, [vector_add(), other], "sm_90", {})
    added = add_controls(tmp_path, ["one"])
    pair, _, *controls = read_plan(tmp_path).pairs
    assert controls == added
    assert [control.name for control in controls] == ["one exchanged", "one reference twice", "one ours twice"]
    assert (controls[0].reference, controls[0].ours) == (pair.ours, pair.reference)
    for control, side in zip(controls[1:], (pair.reference, pair.ours), strict=True):
        assert control.reference == side and control.ours.image != side.image
        assert (tmp_path / control.ours.image).read_bytes() == (tmp_path / side.image).read_bytes()
        assert control.ours.parameters == side.parameters


def test_controls_of_a_pair_that_is_not_there_leave_the_pack_as_it_is(tmp_path: Path) -> None:
    pack(tmp_path, [vector_add()], "sm_90", {})
    before = (tmp_path / "plan.json").read_bytes()
    with pytest.raises(InputError, match="has no pair `two`"):
        add_controls(tmp_path, ["one", "two"])
    assert (tmp_path / "plan.json").read_bytes() == before
    add_controls(tmp_path, ["one"])
    with pytest.raises(InputError, match="already"):
        add_controls(tmp_path, ["one"])
