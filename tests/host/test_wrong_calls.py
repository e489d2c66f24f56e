"""Wrong calls of exported kernels are refused: with their code, naming the argument, and nothing is launched."""

from __future__ import annotations

from typing import Any

import c_calls as calls
import pytest
from c_library import Built, Child

from ferrotile.host.abi import CODES

NUMBER = {code.name: code.number for code in CODES}
SPECIALIZATIONS = (
    "vector_add.f32", "vector_add.f16-any-length", "softmax_rows.f16-4096-columns", "layer_norm.f16-4-rows-of-1024",
    "rms_norm.bf16", "matmul.f16-tiles-of-128-x-128-x-64", "swiglu.f16", "special.flagged",
)  # fmt: skip


def right(built: Built, label: str) -> Any:
    return calls.right_call(*built.specialization(label))


def wrong_calls(built: Built, kind: Any) -> list[tuple[Any, str, str]]:
    """A wrong call of every specialization that can be called so: label, the call, and the argument at fault."""
    made = [(label, kind.of(right(built, label))) for label in SPECIALIZATIONS]
    return [(label, *wrong) for label, wrong in made if wrong is not None]


@pytest.mark.parametrize("kind", calls.KINDS, ids=lambda kind: kind.name)
def test_wrong_call_is_refused_and_nothing_is_launched(built: Built, child: Child, kind: Any) -> None:
    for label, wrong, at_fault in wrong_calls(built, kind):
        answer = child.ask("call", *wrong.command())
        assert (answer["code"], answer["told"]) == (NUMBER[kind.code], NUMBER[kind.code]), (label, answer["message"])
        assert answer["message"].startswith(f"{wrong.kernel.name}: ")
        assert not at_fault or f"argument `{at_fault}` " in answer["message"], (label, answer["message"])
        assert answer["counts"][0] == answer["counts"][1]
        again = child.ask("call", *right(built, label).command())
        assert again["code"] == 0, (label, again["message"])
        assert [after - before for before, after in zip(*again["counts"], strict=True)] == [1, 1]


def test_at_least_fifteen_kinds_are_refused_by_five_kernels_each(built: Built) -> None:
    """Counted, so that a kernel that no longer has a fact is noticed."""
    kernels = {kind.name: {wrong.kernel.name for _, wrong, _ in wrong_calls(built, kind)} for kind in calls.KINDS}
    assert all(kernels.values())
    assert sum(len(found) >= 5 for found in kernels.values()) >= 15


@pytest.mark.parametrize("kind", calls.KINDS, ids=lambda kind: kind.name)
def test_without_its_check_a_wrong_call_is_launched(built: Built, child: Child, kind: Any) -> None:
    """The mutants: each check off, one at a time, for every kernel that can be called so."""
    wrongs = [wrong for _, wrong, _ in wrong_calls(built, kind)]
    child.ask("set", "switch_off", NUMBER[kind.code])
    try:
        codes = [child.ask("call", *wrong.command())["code"] for wrong in wrongs]
    finally:
        child.ask("set", "switch_off", 0)
    if kind.code in ("NullContext", "Context"):  # without a context nothing can be launched at all
        assert codes == [NUMBER["Context"]] * len(wrongs)
    else:
        assert 0 in codes


def test_every_code_is_refused_somewhere() -> None:
    elsewhere = {"Launch", "ScalarDivisor", "ScalarSign", "Absent", "NoDriver", "Panic", "NoCompiler", "Compile"}
    assert {kind.code for kind in calls.KINDS} | elsewhere == set(NUMBER)
