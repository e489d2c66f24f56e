"""What is proved is what runs: the modules kept between calls give the bytes that cutile makes at a launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.capture import Specialization, discover, export
from ferrotile.lift import lift
from ferrotile.lower.call import _native, _request

ROOT = Path(__file__).parents[2]
EXAMPLES = discover(ROOT / "examples")
DECLARING = ("positions", "own_scan", "two_scans", "several_values")
"""Kernels of the zoo that declare functions of their own."""
ZOO = [row for row in discover(ROOT / "tests" / "zoo" / "kernels") if row[1] in DECLARING and "64" not in row[2].label]


@pytest.mark.parametrize("row", [*EXAMPLES, *ZOO], ids=lambda row: f"{row[0].stem}-{row[1]}-{row[2].label}")
def test_lifted_kernel_lowers_as_at_a_launch(row: tuple[Path, str, Specialization]) -> None:
    path, kernel, specialization = row
    (capture,) = export(path, kernel, specialization, "sm_90")
    request = _request(lift(ir.decode(capture.bytecode), None).source, "sm_90", (13, 4))
    native = _native()
    kept, launched = native.lower(request), native.lower_as_launched(request)
    assert kept["bytecode"] == launched["bytecode"]
    assert kept["launch_checks"] == launched["launch_checks"]
