"""The table of a device run: a line a kernel, the geometric mean over all, and what has to be named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ferrotile.bench.device.statistics import Ratio, geomean
from ferrotile.bench.device.timing import Timing

MARGIN = 0.01
"""Times within this share of each other count as equal."""
SLOWEST = 0.99
"""A kernel below this has to be named with the cause."""


@dataclass(frozen=True, slots=True)
class KernelLine:
    """A kernel's configurations: how many, how they compare. Units: microseconds, median over configurations."""

    kernel: str
    configurations: int
    identical: int
    reference_us: float
    ours_us: float
    ratio: Ratio
    worst: Timing


@dataclass(frozen=True)
class Summary:
    """A run: void pairs and pairs whose arrays differ are told, not averaged away."""

    lines: tuple[KernelLine, ...]
    overall: Ratio
    measured: int
    void: tuple[Timing, ...]
    other_bits: tuple[Timing, ...]
    throttled: int

    @property
    def is_equally_fast(self) -> bool:
        """Whether the geometric mean is equal within the margin, by both one-sided tests."""
        return self.overall.is_equal_within(MARGIN)

    @property
    def below(self) -> tuple[KernelLine, ...]:
        """Kernels that are slower than they may be."""
        return tuple(line for line in self.lines if line.ratio.value < SLOWEST)

    def to_json(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {
            "measured": self.measured,
            "geomean": _numbers(self.overall),
            "equally_fast": self.is_equally_fast,
            "void": {timing.name: timing.void for timing in self.void},
            "other_bits": [timing.name for timing in self.other_bits],
            "throttled": self.throttled,
            "kernels": {line.kernel: _line_json(line) for line in self.lines},
        }


def summarize(timings: Sequence[Timing]) -> Summary:
    """Group by kernel. Raises: ValueError when every pair is void."""
    valid = [timing for timing in timings if not timing.void]
    groups: dict[str, list[Timing]] = defaultdict(list)
    for timing in valid:
        groups[timing.kernel].append(timing)
    return Summary(
        tuple(_line(kernel, groups[kernel]) for kernel in sorted(groups)),
        geomean([_value(timing) for timing in valid]),
        len(valid),
        tuple(timing for timing in timings if timing.void),
        tuple(timing for timing in valid if timing.same_bits is False),
        sum(timing.throttled for timing in valid),
    )


def _line(kernel: str, timings: list[Timing]) -> KernelLine:
    return KernelLine(
        kernel,
        len(timings),
        sum(timing.machine == "identical" for timing in timings),
        median(median(timing.reference) for timing in timings) / 1000,
        median(median(timing.ours) for timing in timings) / 1000,
        geomean([_value(timing) for timing in timings]),
        min(timings, key=_value),
    )


def _value(timing: Timing) -> float:
    ratio = timing.ratio
    assert ratio is not None
    return ratio.value


def _numbers(ratio: Ratio) -> list[float]:
    return [round(value, 5) for value in (ratio.value, ratio.low, ratio.high)]


def _line_json(line: KernelLine) -> dict[str, Any]:
    return {
        "configurations": line.configurations,
        "identical_machine_code": line.identical,
        "reference_us": round(line.reference_us, 3),
        "ours_us": round(line.ours_us, 3),
        "ratio": _numbers(line.ratio),
        "worst": {"name": line.worst.name, "ratio": round(_value(line.worst), 5)},
    }
