"""Faults of kernels are found at their Python line, and the mended kernels are clean."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ferrotile import ir
from ferrotile.capture import Specialization, export
from ferrotile.interp import Result, interpret, output

FILE = Path(__file__).with_name("faulty.py")
LINES = FILE.read_text().splitlines()
KINDS = {
    "copies_without_padding": "poison-store",
    "every_block_writes_the_first_tile": "write-write",
    "reads_what_the_next_block_writes": "race",
    "scatters_without_bounds": "out-of-bounds",
    "adds_to_what_nothing_wrote": "read-before-write",
    "counts_without_atomics": "write-write",
    "decides_by_an_undetermined_value": "poison-branch",
    "tile_outside_the_array": "view-index",
    "claims_more_than_is_true": "assert",
}
COUNT, TILE = 40, 16


@cache
def _module(kernel: str) -> ir.Module:
    parameters = {"x": "float32[_]", "y": "float32[_]", "T": TILE}
    row = Specialization(kernel=kernel, parameters=parameters)
    return ir.decode(export(FILE, kernel, row)[0].bytecode)


def _run(kernel: str, seed: int = 0) -> Result:
    x = np.arange(COUNT, dtype=np.float32)
    is_read = "atomics" in kernel or "reads_what" in kernel
    y: Any = np.zeros(COUNT, np.float32) if is_read else output(COUNT, np.float32, name="y")
    return interpret(_module(kernel), [x, y], (3,), seed=seed)


def _line(kernel: str) -> int:
    start = next(i for i, line in enumerate(LINES) if line.startswith(f"def {kernel}("))
    return next(i for i in range(start, len(LINES)) if LINES[i].endswith("# fault")) + 1


@pytest.mark.parametrize("kernel", KINDS)
def test_fault_is_found_at_its_line(kernel: str) -> None:
    found = _run(kernel).found(KINDS[kernel])
    assert found, [str(finding) for finding in _run(kernel).findings]
    assert all(finding.place is not None for finding in found)
    lines = [finding.place.line for finding in found if finding.place]
    assert _line(kernel) in lines


@pytest.mark.parametrize("kernel", KINDS)
def test_mended_kernel_is_clean(kernel: str) -> None:
    for seed in (0, 1):
        assert _run(f"{kernel}_mended", seed).findings == ()


def test_origin_of_poison_is_named() -> None:
    (finding,) = _run("copies_without_padding").found("poison-store")
    assert finding.other is not None
    assert "ct.load(x" in LINES[finding.other.line - 1]
    assert "padding" in finding.sentence


def test_race_names_the_other_access() -> None:
    (finding,) = _run("reads_what_the_next_block_writes").found("race")
    assert finding.other is not None
    assert "ct.load(y" in LINES[finding.other.line - 1]


def test_race_shows_as_a_difference_in_another_order() -> None:
    kernel = "every_block_writes_the_first_tile"
    assert any(_run(kernel).arrays[1].tobytes() != _run(kernel, seed).arrays[1].tobytes() for seed in (1, 2, 3))


def test_finding_is_a_sentence() -> None:
    (finding,) = _run("scatters_without_bounds").found("out-of-bounds")
    assert str(finding).startswith("out-of-bounds: `cuda_tile.store_ptr_tko` writes element 40 of `y`")
    assert (finding.array, finding.index, finding.count) == ("y", 40, 8)
