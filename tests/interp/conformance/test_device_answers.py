"""What a device answered: arithmetic to the last bit, its own functions within two units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device_kernels import PROBES
from memory_checks import by_pointer

from ferrotile.interp import interpret

ANSWERS = Path(__file__).with_name("answers")


def _distance(a: Any, b: Any) -> Any:
    """Units of the last place between floats; NaNs are alike, zeros are not."""
    bits = np.dtype(f"i{a.dtype.itemsize}")
    lines = []
    for x in (a, b):
        raw = np.ascontiguousarray(x).view(bits).astype(np.int64)
        lines.append(np.where(raw < 0, np.iinfo(bits).min - raw - 1, raw))
    with np.errstate(all="ignore"):
        both = np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64))
    return np.where(both, 0, np.abs(lines[0] - lines[1]))


@pytest.mark.parametrize("name", PROBES)
def test_interpreter_answers_as_the_device(name: str) -> None:
    probe = PROBES[name]()
    recorded = np.load(ANSWERS / f"{name}.npz")
    given = b"".join(np.ascontiguousarray(x).tobytes() for x in probe.inputs)
    assert recorded["given"].tobytes() == given, "the inputs changed: record the answers again"
    arrays = probe.arrays()
    result = interpret(probe.module(), arrays, (1,), roles=by_pointer(len(arrays)))
    assert not result.findings
    answer, at = recorded["answer"].tobytes(), 0
    for i, (title, units) in enumerate(zip(probe.titles, probe.units, strict=True)):
        got = result.arrays[len(probe.inputs) + i]
        want = np.frombuffer(answer[at : at + got.nbytes], got.dtype)
        at += got.nbytes
        bad = np.flatnonzero(_distance(got, want) > units)
        assert not bad.size, f"{title}: {got[bad[0]]}, and the device gives {want[bad[0]]}"
