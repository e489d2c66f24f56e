"""The gate itself: a wrong lifter, checker or interpreter is reported; a failure is shrunk, saved and replayed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing import keep
from fuzzing.hunt import hunt, signature
from fuzzing.judge import Outcome, judge
from fuzzing.keep import Known, explanation, load, save
from fuzzing.program import Program

from ferrotile import ir
from ferrotile.check import Verdict
from ferrotile.core import ParameterMap
from ferrotile.core.style import Style
from ferrotile.interp import transfer
from ferrotile.ir.enums import PaddingValue
from ferrotile.workflow import translation

TEXT = """\
import cuda.tile as ct

LAUNCH = {"grid": (2,), "seed": 1, "parameters": {
    "x": {"kind": "KIND", "shape": (13,), "layout": "row", "holds": "values"},
    "y": {"kind": "KIND", "shape": (16,), "layout": "row", "holds": "values"},
}}


@ct.kernel
def fuzzed(x, y):
    i = ct.bid(0)
    a = ct.load(x, (i,), (8,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (i,), a - ct.full((8,), 3, ct.KIND))
"""
SPEC = '[[specialization]]\nkernel = "fuzzed"\n[specialization.parameters]\nx = "KIND[_]"\ny = "KIND[*16]"\n'


def _program(kind: str = "float32") -> Program:
    return Program(TEXT.replace("KIND", kind), SPEC.replace("KIND", kind))


def _swapped(lower: Callable[..., Any]) -> Callable[..., Any]:
    """A translation that computes b - a for a - b."""

    def wrong(*values: Any) -> Any:
        lowered = lower(*values)
        module = ir.decode(lowered.bytecode)
        for op in module.op.walk():
            if op.name in ("cuda_tile.subf", "cuda_tile.subi"):
                op.operands = tuple(op.operands)[::-1]
        return replace(lowered, bytecode=ir.encode(module))

    return wrong


def _believes(reference: bytes, lowered: bytes, parameters: ParameterMap, target: str) -> Verdict:
    """A checker that calls everything equal."""
    return CHECK(reference, reference, ParameterMap(parameters.reference, parameters.reference), target)


CHECK = translation.check.check


@pytest.mark.parametrize("kind", ["float32", "int16", "uint64", "bfloat16"])
def test_right_kernel_holds_and_is_compared_three_ways(kind: str) -> None:
    outcome = judge(_program(kind))
    assert (outcome.kind, outcome.open) == ("EQUAL", 0), outcome
    assert outcome.compared >= 29


def test_wrong_lifter_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation.lower, "lower", _swapped(translation.lower.lower))
    assert judge(_program()).kind == "DIFFERS"


def test_wrong_checker_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation.lower, "lower", _swapped(translation.lower.lower))
    monkeypatch.setattr(translation.check, "check", _believes)
    outcome = judge(_program())
    assert (outcome.kind, "reference and lifted module" in outcome.sentence) == ("fault", True), outcome


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_interpreter_that_ignores_padding_is_reported(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setitem(transfer.PADDING, PaddingValue.Zero, 1.0)
    outcome = judge(_program(kind))
    assert (outcome.kind, "interpreter and plain Python" in outcome.sentence) == ("fault", True), outcome


def test_interpreter_that_subtracts_the_wrong_way_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    meaning = next(row for row in ir.table() if row.name == "subf").evaluate
    monkeypatch.setattr(type(meaning), "function", _Backwards(meaning), raising=True)
    assert judge(_program()).kind == "fault"


class _Backwards:
    """The function of one meaning with its result negated; those of all others as they are."""

    def __init__(self, meaning: Any) -> None:
        self.meaning, self.right = meaning, type(meaning).__dict__["function"]

    def __get__(self, meaning: Any, kind: Any) -> Any:
        function = self.right.__get__(meaning, kind)
        return (lambda call: np.negative(function(call))) if meaning is self.meaning else function


def test_crash_of_a_step_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*values: Any, **options: Any) -> Any:
        raise KeyError("lost")

    monkeypatch.setattr(translation.lift, "lift", breaks)
    outcome = judge(_program())
    assert (outcome.kind, outcome.code) == ("fault", "FT803")


def test_crash_is_not_hidden_by_a_closer_style(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted = translation.lift.lift

    def breaks(*values: Any, style: Style, **options: Any) -> Any:
        if style is Style.FLUENT:
            raise KeyError("lost")
        return lifted(*values, style=style, **options)

    monkeypatch.setattr(translation.lift, "lift", breaks)
    outcome = judge(_program())
    assert (outcome.kind, outcome.code) == ("fault", "FT803")


def _dislikes_scans(program: Program) -> Outcome:
    return Outcome("DIFFERS" if "ct.cumsum" in program.text else "EQUAL", "", "a scan")


def test_failure_is_shrunk_saved_and_replayed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("fuzzing.hunt.SHRINKING_SECONDS", 600)  # seconds, but for a machine that is busy
    found = hunt(60, 3, _dislikes_scans)
    ((program, outcome),) = found.failures
    assert "ct.cumsum" in program.text
    assert len(program.text.split("@ct.kernel")[1].splitlines()) <= 8, program.text
    path = save(program, outcome, tmp_path)
    assert path.with_suffix(".toml").read_text().startswith("# DIFFERS")
    assert judge(load(path)).kind in ("EQUAL", "REFUSED")


def _dislikes_stores_at_two(program: Program) -> Outcome:
    """Two ways to fail, whose sentences have numbers of the kernel in them."""
    number = len(program.text)
    if "ct.store(x0, (0,)" in program.text:
        return Outcome("fault", "FT404", f"{number} is not {number + 1}")
    return Outcome("UNPROVED" if "ct.bid" in program.text else "EQUAL", "", f"of ({number}, {number})")


def test_failure_ends_nothing_and_each_way_is_shrunk_once() -> None:
    found = hunt(30, 7, _dislikes_stores_at_two, wanted=lambda way: way.startswith("fault"))
    assert found.tally.kernels == 30
    assert set(found.tally.failures) == {"fault FT404: # is not #", "UNPROVED : of (#)"}
    assert min(found.tally.failures.values()) > 1
    ((program, outcome),) = found.failures
    assert outcome == _dislikes_stores_at_two(program)
    assert outcome.kind == "fault"


def test_shrinking_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzzing.hunt.SHRINKING_SECONDS", 0.5)
    calls: list[Program] = []

    def slow(program: Program) -> Outcome:
        calls.append(program)
        time.sleep(0.1)
        return Outcome("fault", "", "slow")

    found = hunt(5, 3, slow)
    assert (found.tally.kernels, len(found.failures)) == (5, 1)
    assert len(calls) <= 5 + 6, "half a second holds five calls of a tenth"


@pytest.mark.parametrize(
    ("said", "masked"),
    [
        ("array 0 at (3, 0) is -2.5e-05, not inf (exact inputs)", "array # at (#) is -#, not # (exact inputs)"),
        ("array 1 at (1,) is True, not 0.0", "array # at (#,) is #, not #"),
        ("Tile < i32 , { [4 , 8] } >", "Tile < i# , { [#] } >"),
        ("`join_tokens`, `tokens`: two or more", "`join_tokens`, `tokens`: two or more"),
    ],
)
def test_numbers_do_not_tell_failures_apart(said: str, masked: str) -> None:
    assert signature(Outcome("fault", "FT1", said)) == f"fault FT1: {masked}"


def test_same_seed_gives_the_same_kernels() -> None:
    texts: list[list[str]] = [[], []]
    for number in range(2):
        hunt(20, 5, lambda program, number=number: texts[number].append(program.text) or Outcome("EQUAL"))
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 10


def test_ledger_row_explains_one_way_to_fail_only() -> None:
    row = Known("z", "z.py", "DIFFERS", "^the scan", "because")
    assert explanation(Outcome("DIFFERS", "", "the scan is another"), (row,)) == "z"
    assert explanation(Outcome("DIFFERS", "", "another scan"), (row,)) is None
    assert explanation(Outcome("EQUAL", "", "the scan is another"), (row,)) is None
    assert explanation(Outcome("fault", "", "the scan is another"), keep.ledger()) is None


class _FirstThatDiffers:
    """Wants one."""

    def __init__(self) -> None:
        self.is_open = True

    def __call__(self, way: str) -> bool:
        wants = self.is_open and way.startswith("DIFFERS")
        self.is_open &= not wants
        return wants


@pytest.mark.sweep
def test_wrong_lifter_is_hunted_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("fuzzing.hunt.SHRINKING_SECONDS", 20)
    monkeypatch.setattr(translation.lower, "lower", _swapped(translation.lower.lower))
    found = hunt(40, 0, wanted=_FirstThatDiffers())
    ((program, outcome),) = found.failures
    assert outcome.kind == "DIFFERS"
    monkeypatch.undo()
    assert not judge(load(save(program, outcome, tmp_path))).failed
