"""From the JSON lines of a run to its figures."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ferrotile.core import InputError

LIMIT_SECONDS, LIMIT_DECODE_US = 1.0, 120.0
"""What issue 3 asks for: median of lift, lower and check for a kernel; decoding of an operation."""
LINEAR_EXPONENT = 1.25
"""Time that grows as operations to this power or less counts as linear: noise and fixed costs bend the fit."""
STEPS = ("lift", "lower", "check")


@dataclass(frozen=True, slots=True)
class Growth:
    """A fit of time against operations: `seconds = a * operations ** exponent`, and a straight line."""

    exponent: float
    us_per_operation: float
    fixed_ms: float

    @property
    def is_linear(self) -> bool:
        """Whether time grows no faster than operations."""
        return self.exponent <= LINEAR_EXPONENT


@dataclass(frozen=True, slots=True)
class Figures:
    """Units: seconds for p50, p90 and `worst` of lift + lower + check; microseconds for decoding."""

    kernels: int
    refused: int
    p50: float
    p90: float
    worst: float
    per_step_p50: dict[str, float]
    decode_us: float
    growth: Growth | None

    @property
    def is_met(self) -> bool:
        """Whether issue 3's limits hold."""
        return (
            self.p50 < LIMIT_SECONDS
            and self.decode_us < LIMIT_DECODE_US
            and (self.growth is None or self.growth.is_linear)
        )

    def to_text(self) -> str:
        """The figures as lines."""
        steps = ", ".join(f"{step} {1000 * seconds:.0f} ms" for step, seconds in self.per_step_p50.items())
        lines = [
            f"{self.kernels} kernels translated, {self.refused} inputs refused",
            f"lift + lower + check: p50 {self.p50:.3f} s, p90 {self.p90:.3f} s, longest {self.worst:.3f} s",
            f"p50 of each: {steps}",
            f"decode: {self.decode_us:.1f} us an operation",
        ]
        if self.growth is not None:
            word = "linear" if self.growth.is_linear else "NOT linear"
            lines.append(
                f"time against operations: {word} (exponent {self.growth.exponent:.2f}; "
                f"{self.growth.fixed_ms:.0f} ms + {self.growth.us_per_operation:.0f} us an operation)"
            )
        return "\n".join(lines)


def read_lines(lines: Iterable[str]) -> list[dict]:
    """The rows of a run, without its summary. Raises: FT701."""
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except ValueError:
            raise InputError("FT701", f"line {number} is not JSON") from None
        if isinstance(row, dict) and "seconds" in row:
            rows.append(row)
    return rows


def figures(rows: Sequence[dict]) -> Figures:
    """The figures of a run. Raises: FT701 when nothing was translated."""
    done = [row for row in rows if row["verdict"] in ("EQUAL", "REFINES", "DIFFERS", "UNPROVED")]
    if not done:
        raise InputError("FT701", "the run translated no kernel")
    times = [sum(row["seconds"][step] for step in STEPS) for row in done]
    decoded = [row for row in rows if "decode" in row["seconds"] and row["operations"]]
    decode = sum(row["seconds"]["decode"] for row in decoded) / sum(row["operations"] for row in decoded)
    return Figures(
        kernels=len(done),
        refused=len(rows) - len(done),
        p50=_quantile(times, 0.5),
        p90=_quantile(times, 0.9),
        worst=max(times),
        per_step_p50={step: _quantile([row["seconds"][step] for row in done], 0.5) for step in STEPS},
        decode_us=1e6 * decode,
        growth=_growth([row["operations"] for row in done], times),
    )


def _growth(operations: Sequence[int], times: Sequence[float]) -> Growth | None:
    """Fit growth; None when the kernels are too few or too much alike to say."""
    if len(set(operations)) < 5:
        return None
    slope, fixed = statistics.linear_regression(operations, times)
    exponent, _ = statistics.linear_regression([math.log(n) for n in operations], [math.log(t) for t in times])
    return Growth(exponent, 1e6 * slope, 1e3 * fixed)


def _quantile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
