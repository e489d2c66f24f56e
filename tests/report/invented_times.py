"""Times that nobody measured, for tests of how times are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ferrotile.bench.device import Timing

GPU, DAY = "a GPU of the tests", "2026-01-02"


def invented(name: str, faster_by: float = 1.0, **fields: Any) -> Timing:
    """A pair whose ratio is near `faster_by`, with a spread of 1 %."""
    spread = [1 + 0.0025 * (step % 5 - 2) for step in range(40)]
    times: dict[str, Any] = {
        "reference": tuple(round(10_000 * factor) for factor in spread),
        "ours": tuple(round(10_000 / faster_by * factor) for factor in spread[::-1]),
        "same_bits": True, "device": GPU, "date": DAY, "versions": {"cutile": "0.5.0", "tileiras": None},
    }  # fmt: skip
    return Timing(name=name, kernel="kernel", machine="identical", **{**times, **fields})


def write(file: Path, timings: Sequence[Timing]) -> Path:
    """A file as `bench run` writes it."""
    file.write_text("".join(f"{timing.to_json()}\n" for timing in timings))
    return file
