"""Where the kernel is right `interpret` computes what is right; faults in other clothes are found as well."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ferrotile import ir
from ferrotile.capture import discover, export
from ferrotile.interp import Buffer, Finding, interpret, output

ROWS = {(row[1], row[2].label): row for row in discover(Path(__file__).parent / "kernels")}
WRONG_LINE = "# wrong"


@cache
def module(kernel: str, label: str = "") -> ir.Module:
    return ir.decode(export(*ROWS[kernel, label])[0].bytecode)


def last_array(kernel: str, arguments: list[Any], grid: tuple[int, ...], label: str = "") -> Any:
    """The output of a launch in which nothing is found."""
    result = interpret(module(kernel, label), arguments, grid)
    assert not result.findings and not result.undetermined[-1].any()
    return result.arrays[-1]


def test_row_products_of_ones_are_all_four() -> None:
    arguments = [np.ones((4, 4), np.float32), np.ones(4, np.float32), output(4, np.float32)]
    assert last_array("row_products", arguments, (4,)).tolist() == [4, 4, 4, 4]


def test_half_precision_integers_multiply_exactly() -> None:
    a, b = np.random.default_rng(0).integers(-2, 3, (2, 16, 16))
    arguments = [a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16), output((16, 16), np.float32)]
    assert (last_array("half_matmul", arguments, (1,)) == a @ b).all()


def test_branch_that_is_never_taken_changes_nothing() -> None:
    x = np.random.default_rng(0).standard_normal((64, 4)).astype(np.float32)
    for label in ("without the branch", "with the branch"):
        assert (last_array("max_pool", [x, output(64, np.float32), 0], (2,), label) == x.max(1)).all()


VARIATIONS: dict[str, tuple[Buffer, int, str]] = {
    "stencil_in_place": (Buffer(np.ones(64, np.float32)), 2, "race"),
    "promised_store": (output(40, np.float32), 2, "assume"),
    "beyond_the_last_tile": (output(32, np.float32), 1, "view-index"),
    "branch_on_padding": (Buffer(np.ones(40, np.float32)), 2, "poison-branch"),
    "sum_into_nothing": (output(33, np.float32), 1, "read-before-write"),
    "lanes_collide": (output(64, np.float32), 1, "write-write"),
}
"""By kernel: the array, how many blocks, and the kind of the first finding."""


def found(kernel: str, array: Buffer, grid: int) -> tuple[Finding, ...]:
    return interpret(module(kernel), [array], (grid,)).findings


def marked_text(finding: Finding) -> str:
    """The source line that a finding blames: for poison the one where it came from."""
    place = finding.other if finding.kind == "poison-branch" else finding.place
    assert place is not None
    return Path(place.file).read_text().splitlines()[place.line - 1]


@pytest.mark.parametrize("kernel", sorted(VARIATIONS))
def test_variation_is_found_at_its_line(kernel: str) -> None:
    array, grid, kind = VARIATIONS[kernel]
    first = found(kernel, array, grid)[0]
    assert first.kind == kind
    assert marked_text(first).endswith(WRONG_LINE)


def test_store_behind_the_end_of_a_part_is_found() -> None:
    array = Buffer(np.zeros(40, np.float32), behind=256)
    assert [finding.kind for finding in found("behind_the_end", array, 2)] == ["out-of-bounds"]


def test_store_between_rows_is_found() -> None:
    row = ROWS["matmul", "wrong"]
    a, b = np.ones((64, 64), np.float16), np.ones((64, 40), np.float16)
    c = Buffer(np.zeros((64, 128), np.float32)[:, :40], behind=512)
    findings = interpret(ir.decode(export(*row)[0].bytecode), [a, b, c], (1, 1)).findings
    assert [finding.kind for finding in findings] == ["out-of-bounds"]


def test_write_after_the_release_is_found() -> None:
    kinds = {finding.kind for finding in found("after_the_release", Buffer(np.zeros(4, np.float32)), 2)}
    assert kinds & {"write-write", "race"}
