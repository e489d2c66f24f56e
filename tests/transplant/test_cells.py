"""Four cells on a device that interprets: both launchers are the real ones, and each planted fault finds its owner."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import fake_device
import numpy as np
import pytest

from ferrotile import report
from ferrotile.core import EnvironmentFault, InputError
from ferrotile.transplant import (
    Answer,
    Case,
    Near,
    Owner,
    Right,
    Setting,
    State,
    Transplant,
    make_case,
    read_case,
    transplant,
)
from ferrotile.transplant.cells import Attempt, judge
from ferrotile.transplant.decision import CELLS

Run = Callable[[str], Transplant]


def states(found: Transplant) -> list[State]:
    return [one.state for one in found.cells]


@pytest.mark.parametrize("name", ["right", "other arguments", "own arrays", "list of arrays"])
def test_a_proved_translation_is_right_in_every_cell(run: Run, name: str) -> None:
    found = run(name)
    assert states(found) == [State.RIGHT] * 4, [one.sentence for one in found.cells]
    assert found.decision.answer is Answer.NOT_REPRODUCED
    assert found.case.oracle == "the interpreter" and found.device == "an interpreting device"


def test_a_wrong_kernel_owns(run: Run) -> None:
    found = run("wrong kernel")
    assert states(found) == [State.RIGHT, State.RIGHT, State.WRONG, State.WRONG]
    assert found.decision.owners == (Owner.KERNEL,)
    assert "`total`: 255 of 256 elements, [0] is" in found.cells[2].sentence
    assert "edited" in found.case.notes[0]


def test_wrong_packing_is_the_hosts(run: Run) -> None:
    found = run("wrong packing")
    assert states(found) == [State.RIGHT, State.WRONG, State.RIGHT, State.WRONG]
    assert found.decision.owners == (Owner.HOST,)


def test_both_at_once_are_both_named(run: Run) -> None:
    assert run("both").decision.owners == (Owner.KERNEL, Owner.HOST)


def test_a_map_that_swaps_arrays_leaves_a_cell_out_and_nothing_is_guessed(run: Run) -> None:
    found = run("swapped map")
    assert states(found) == [State.RIGHT, State.RIGHT, State.NOT_MADE, State.WRONG]
    assert found.decision.answer is Answer.UNDECIDED
    assert set(found.decision.candidates) == {(Owner.KERNEL,), (Owner.INTERACTION,)}
    reason = "parameter 0: pointer of array 0 as `ptr` is passed, and the program takes pointer of array 2 as `ptr`"
    assert found.cells[2].sentence == reason


@pytest.mark.parametrize(
    ("name", "state", "text"),
    [
        ("death", State.CRASHED, "its process ended with exit code 9"),
        ("driver", State.FAILED, "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ],
)
def test_errors_are_told_from_wrong_numbers(run: Run, name: str, state: State, text: str) -> None:
    found = run(name)
    assert states(found) == [State.RIGHT, state, State.RIGHT, state] and text in found.cells[1].sentence
    assert found.decision.owners == (Owner.HOST,) and f": {state}" in found.decision.sentence


def test_a_fact_that_our_launch_lacks_is_a_refusal(run: Run) -> None:
    found = run("lacking fact")
    assert states(found) == [State.RIGHT, State.RIGHT, State.RIGHT, State.REFUSED]
    assert found.cells[3].code == "FT627" and found.decision.owners == (Owner.INTERACTION,)


def test_results_that_vary_are_flaky(run: Run) -> None:
    found = run("flaky")
    assert found.decision.answer is Answer.FLAKY and found.decision.owners == ()
    assert found.cells[1].launches == (True, False, True) and states(found)[1] is State.VARIES
    assert found.cells[1].sentence.startswith("launches are right, WRONG, right, 2 sets of bits; `total`: 1 of 256")


def test_without_an_oracle_the_reference_by_its_own_launcher_is_it(run: Run) -> None:
    found = run("no oracle")
    assert found.case.oracle is None and "it is the oracle" in found.cells[0].sentence
    assert found.decision.owners == (Owner.KERNEL,)


def test_numbers_that_somebody_expects_can_blame_the_reference(run: Run) -> None:
    found = run("other numbers expected")
    assert states(found) == [State.WRONG] * 4 and found.decision.owners == (Owner.REFERENCE_OR_ORACLE,)


def test_a_gpu_is_asked_for_by_code(run: Run) -> None:
    with pytest.raises(EnvironmentFault, match=r"FT642.*no GPU"):
        run("no device")
    with pytest.raises(EnvironmentFault, match=r"FT642.*OSError: libcudart"):
        run("broken torch")
    with pytest.raises(EnvironmentFault, match=r"FT642.*the GPU here is sm_100, and the case is of sm_90"):
        run("other target")


def test_a_report_says_the_table_the_reasons_and_the_owner(run: Run) -> None:
    found = run("wrong kernel")
    told = json.loads(json.dumps(report.transplant_json(found)))
    assert (told["answer"], told["owners"]) == ("OWNED", ["kernel"])
    assert [one["state"] for one in told["cells"]] == ["right", "right", "WRONG", "WRONG"]
    text = report.transplant_text(found)
    assert "right is what the interpreter says, f32 within 0.002 + 0.002 of the number" in text
    assert text[-1] == "OWNED kernel: our program is not right with either launcher"
    assert len(report.transplant_table(found).rows) == 2


@pytest.fixture
def case(add: Path, unassembled: None, tmp_path: Path) -> Case:
    return make_case(
        add, tmp_path / "case", Setting(right=Right(use_interpreter=False, tolerances={"f32": Near(atol=0.5)}))
    )


def test_nothing_is_judged_when_the_oracle_fails(case: Case) -> None:
    failed = judge(case, None, CELLS[0], Attempt(state=State.FAILED, reason="no"))
    other = judge(case, None, CELLS[3], Attempt(left=((b"",),)))
    assert (failed.state, other.state) == (State.FAILED, State.UNJUDGED)


def test_launches_that_are_all_wrong_in_other_ways_vary(case: Case) -> None:
    right = tuple(np.zeros(256, np.float32).tobytes() for _ in case.arrays)
    lefts = [(*right[:2], np.full(256, value, np.float32).tobytes()) for value in (1, 2, 0.25)]
    wrong = judge(case, right, CELLS[3], Attempt(left=(lefts[0], lefts[0])))
    assert (
        wrong.state is State.WRONG and wrong.sentence == "`total`: 256 of 256 elements, [0] is `1.0` instead of `0.0`"
    )
    assert judge(case, right, CELLS[3], Attempt(left=(lefts[0], lefts[1]))).state is State.VARIES
    near = judge(case, right, CELLS[3], Attempt(left=(right, lefts[2])))
    assert near.state is State.RIGHT and "2 different sets of bits, all near enough" in near.sentence


def test_a_case_travels_and_runs_each_cell_in_a_process_of_its_own(case: Case, tmp_path: Path) -> None:
    moved = Path(shutil.move(tmp_path / "case", tmp_path / "moved"))
    assert read_case(moved) == case and case.tolerances == {"f32": Near(atol=0.5)}
    found = transplant(moved, partial(fake_device.FakeDevice, moved), 1)
    assert found.decision.answer is Answer.NOT_REPRODUCED


def test_a_damaged_case_is_refused(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    (folder / "array-1.before").write_bytes(b"short")
    with pytest.raises(InputError, match=r"FT640.*has 5 bytes, and `b` takes 1024"):
        read_case(folder)
    (folder / "array-1.before").unlink()
    with pytest.raises(InputError, match=r"FT640.*is not there"):
        read_case(folder)
    (folder / "case.json").write_text('{"format": "other"}')
    with pytest.raises(InputError, match="FT640"):
        read_case(folder)
    with pytest.raises(InputError, match=r"FT640.*cannot be read"):
        read_case(tmp_path)
