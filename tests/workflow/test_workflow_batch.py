"""Batches: order, samples, machine code, exit codes; the steps themselves are stood in for."""

from pathlib import Path

import pytest

from ferrotile.core import (
    EnvironmentFault,
    InputError,
    InternalError,
    MachineKind,
    ParameterMap,
    Unsupported,
    VerdictKind,
)
from ferrotile.workflow import batch, expand, translation
from ferrotile.workflow.record import SEVERITY, Evidence, MachineResult, Options, Row, Task, worst
from ferrotile.workflow.sample import Sample


def row(name: str, kernel: str | None = None, verdict: VerdictKind = VerdictKind.EQUAL) -> Row:
    evidence = None if kernel is None else Evidence(b"", b"", ParameterMap((), ()), kernel)
    return Row(name, name, "sm_90", verdict, 0, evidence=evidence)


ROWS = [row("refused"), row("a1", "a"), row("a2", "a"), row("b1", "b"), row("a3", "a"), row("b2", "b")]


def test_sample_takes_the_first_of_each_kernel_that_holds():
    assert Sample.parse("1-per-kernel").choose(ROWS) == [1, 3]


def test_sample_adds_others_by_seed():
    chosen = Sample.parse("1-per-kernel+2@7").choose(ROWS)
    assert {1, 3} < set(chosen) <= {1, 2, 3, 4, 5} and len(chosen) == 4
    assert chosen == sorted(chosen) == Sample.parse("1-per-kernel+2@7").choose(ROWS)
    others = {tuple(Sample.parse(f"1-per-kernel+2@{seed}").choose(ROWS)) for seed in range(20)}
    assert len(others) == 3


@pytest.mark.parametrize(("text", "count"), [("2", 2), ("1@5", 1), ("99", 5)])
def test_sample_of_a_number_is_drawn_from_what_holds(text: str, count: int):
    chosen = Sample.parse(text).choose(ROWS)
    assert len(chosen) == count and 0 not in chosen


def test_sample_of_nothing_is_empty():
    assert Sample.parse("1-per-kernel").choose([row("refused")]) == Sample.parse("3").choose([]) == []


@pytest.mark.parametrize("text", ["0", "1-per-kernel+0", "some", "1-per-kernel+", "3@x", ""])
def test_wrong_sample_is_refused(text: str):
    with pytest.raises(InputError, match="--sample"):
        Sample.parse(text)


def test_rows_come_in_the_order_of_inputs():
    late = [(2, row("c")), (0, row("a")), (1, row("b"))]
    assert [one.input for one in batch._in_order(late)] == ["a", "b", "c"]


def test_machine_code_is_compared_of_the_sample_only(monkeypatch: pytest.MonkeyPatch):
    seen: list[str] = []

    def compare(one: Row, options: Options) -> Row:
        seen.append(one.input)
        return Row(one.input, one.name, "sm_90", one.verdict, 0, sass=MachineKind.IDENTICAL)

    monkeypatch.setattr(batch, "compare_machine", compare)
    monkeypatch.setattr(batch, "translate", lambda task, options: row(task.input, task.input[0]))
    monkeypatch.setattr(batch, "run_all", _in_process)
    tasks = [Task(name, name) for name in ("a1", "a2", "b1")]
    rows = list(batch.translate_all(tasks, Options(sass=True, sample=Sample(one_per_kernel=True))))
    assert seen == ["a1", "b1"]
    assert [one.sass for one in rows] == [MachineKind.IDENTICAL, MachineKind.SKIPPED, MachineKind.IDENTICAL]
    assert all(one.evidence is None for one in rows)


def test_death_of_a_worker_is_a_row_of_our_fault():
    made = batch._death(Options(), Task("in", "in"), -11)
    assert (made.exit_code, made.code, made.verdict) == (
        70,
        "FT802",
        VerdictKind.REFUSED,
    ) and "signal 11" in made.message
    kept = batch._death(Options(), row("in", "k"), 1)
    assert (kept.exit_code, kept.code, kept.verdict) == (70, "FT802", VerdictKind.EQUAL)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [([], 0), ([0, 3], 3), ([3, 5], 5), ([5, 1, 3], 1), ([1, 2], 2), ([2, 4], 4), ([4, 70, 2], 70), ([0, 0], 0)],
)
def test_worst_exit_code_wins(codes: list[int], expected: int):
    assert worst(codes) == expected and set(SEVERITY) == {0, 1, 2, 3, 4, 5, 70}


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (InputError("FT801", "x"), 2),
        (Unsupported("FT109", "x"), 3),
        (EnvironmentFault("FT001", "x"), 4),
        (InternalError("FT803", "x"), 70),
    ],
)
def test_fault_of_an_input_is_a_row_with_its_exit_code(error, exit_code: int):
    made = translation.translate(Task("in", "in", fault=error), Options())
    assert (made.exit_code, made.code, made.verdict) == (exit_code, error.code, VerdictKind.REFUSED)


def test_foreign_exception_is_our_fault(monkeypatch: pytest.MonkeyPatch):
    def breaks(data: bytes) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(translation.ir, "decode", breaks)
    made = translation.translate(Task("in", "in", bytecode=b""), Options())
    assert (made.exit_code, made.code) == (70, "FT803") and "KeyError" in made.message and "decode" in made.message


def test_inputs_of_one_name_get_folders_of_their_own(tmp_path: Path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.tileirbc").write_bytes(b"")
    tasks = expand([str(tmp_path / "a"), str(tmp_path / "b" / "same.tileirbc")], Options())
    assert [task.name for task in tasks] == ["same", "same.2"]


def test_missing_input_is_a_task_with_a_fault(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    tasks = expand([str(tmp_path / "no.tileirbc"), str(tmp_path / "empty")], Options())
    assert [task.fault.code for task in tasks] == ["FT801", "FT801"]


def test_machine_result_of_a_refused_reference_names_the_other_target(monkeypatch: pytest.MonkeyPatch):
    from ferrotile.check.machine import MachineVerdict

    verdict = MachineVerdict(MachineKind.IDENTICAL, "sm_100", None, (9, 9), "tileiras refuses the reference for sm_90")
    monkeypatch.setattr(translation, "compare_machine_code", lambda *_: verdict)
    made = translation.compare_machine(row("in", "k"), Options(sass=True))
    assert made.sass is MachineKind.REFERENCE_REFUSED and made.exit_code == 0
    assert isinstance(made.machine, MachineResult) and made.machine.other_target == ("sm_100", MachineKind.IDENTICAL)
    assert made.to_json()["sass_detail"]["other_target"] == {"target": "sm_100", "kind": "identical"}


def _in_process(work, items, jobs, on_death, limit_s):
    return ((k, work(item)) for k, item in enumerate(items))
