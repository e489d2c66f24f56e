"""Public bugs, rebuilt: `interpret` finds each one, at the line that is wrong, and nothing in the right form."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bounded import breaches
from launches import LAUNCHES, Launch

from ferrotile import ir
from ferrotile.capture import Specialization, discover, export
from ferrotile.interp import KINDS, Finding, Result, interpret
from ferrotile.ir.formats import FORMATS

HERE = Path(__file__).parent
BUGS: list[dict[str, Any]] = tomllib.loads((HERE / "bugs.toml").read_text())["bug"]
REBUILT = [bug for bug in BUGS if "kernel" in bug]
ROWS: dict[tuple[str, str], tuple[Path, str, Specialization]] = {
    (row[1], row[2].label): row for row in discover(HERE / "kernels") if row[2].label in ("right", "wrong")
}

of_every_bug = pytest.mark.parametrize("bug", REBUILT, ids=lambda bug: f"{bug['number']}-{bug['kernel']}")


@cache
def launch(kernel: str) -> Launch:
    with np.errstate(all="ignore"):
        return LAUNCHES[kernel]()


def run(kernel: str, form: str, seed: int = 0) -> Result:
    """Run the right or the wrong form of a kernel."""
    module = ir.decode(export(*ROWS[kernel, form])[0].bytecode)
    return interpret(module, launch(kernel).arguments, launch(kernel).grid, seed=seed)


def is_outside(kernel: str, result: Result) -> bool:
    """Whether a determined number lies outside the bound of the formula."""
    with np.errstate(all="ignore"):
        return any(
            (breaches(expected, result.arrays[array], FORMATS["f32"].largest) & ~result.undetermined[array]).any()
            for array, expected in launch(kernel).expected.items()
        )


def ways(kernel: str, result: Result) -> list[str]:
    """All ways in which a result is seen to be wrong."""
    found = {finding.kind for finding in result.findings}
    is_open = any(result.undetermined[array].any() for array in launch(kernel).expected)
    if is_open and "poison-store" not in found:
        found.add("unwritten")
    if is_outside(kernel, result):
        found.add("numbers")
    return sorted(found)


def marked_lines(path: Path) -> set[int]:
    return {number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# wrong")}


@of_every_bug
def test_wrong_form_is_found(bug: dict[str, Any]) -> None:
    result = run(bug["kernel"], "wrong")
    assert ways(bug["kernel"], result) == bug["found"], "\n".join(map(str, result.findings))


@of_every_bug
def test_findings_stand_on_the_wrong_line(bug: dict[str, Any]) -> None:
    marked = marked_lines(ROWS[bug["kernel"], "wrong"][0])
    for finding in run(bug["kernel"], "wrong").findings:
        place = finding.other if finding.kind.startswith("poison") else finding.place
        # Poison that comes from memory has no line of its own; `read-before-write` has that of the read.
        assert place is None or (place.line in marked and place.function == bug["kernel"]), str(finding)
        assert place is not None or "nothing has written it" in finding.sentence


@of_every_bug
@pytest.mark.parametrize("seed", [0, 7])
def test_right_form_is_right_in_any_order_of_blocks(bug: dict[str, Any], seed: int) -> None:
    result = run(bug["kernel"], "right", seed)
    assert ways(bug["kernel"], result) == [], "\n".join(map(str, result.findings))


@of_every_bug
def test_both_forms_are_the_same_but_for_one_constant(bug: dict[str, Any]) -> None:
    right, wrong = (dict(ROWS[bug["kernel"], form][2].parameters) for form in ("right", "wrong"))
    assert (right.pop("RIGHT"), wrong.pop("RIGHT")) == (True, False)
    assert right == wrong


def test_ledger_has_every_report_once_and_every_kernel() -> None:
    assert [bug["number"] for bug in BUGS] == [*range(1, 21), *range(42, 54)]
    assert all(("kernel" in bug and "found" in bug) != ("reason" in bug) for bug in BUGS)
    assert sorted(bug["kernel"] for bug in REBUILT) == sorted({kernel for kernel, _ in ROWS}) == sorted(LAUNCHES)
    assert {way for bug in REBUILT for way in bug["found"]} <= {*KINDS, "numbers", "unwritten"}


def test_every_fault_of_a_kernel_is_found() -> None:
    assert len(REBUILT) == 23
    assert {bug["reason"].split(":")[0] for bug in BUGS if "reason" in bug} == {
        "tuner",
        "host",
        "compiler",
        "interpreter",
    }


@pytest.mark.parametrize("grid", [1, 2, 5, 8])
def test_loop_over_rows_is_right_for_any_grid(grid: int) -> None:
    module = ir.decode(export(*ROWS["double_rows", "right"])[0].bytecode)
    result = interpret(module, launch("double_rows").arguments, (grid,))
    assert ways("double_rows", result) == []


def test_findings_name_what_a_user_needs() -> None:
    (finding,) = run("grouped_queries", "wrong").findings
    assert isinstance(finding, Finding) and finding.place is not None
    assert (finding.array, finding.block, finding.place.file.rpartition("/")[2]) == (
        "array 2",
        (1, 0, 0),
        "attention.py",
    )
