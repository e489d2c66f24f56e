"""From kernel times to a ratio with its interval, and whether that says that both are equally fast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ORDER = "ABBA"
"""One quad of launches: reference, ours, ours, reference. A drift that is linear in time cancels within a quad."""
RESAMPLES = 2000
LEVEL = 0.95
TRIMMED = 0.1
"""The share of quads left out at either end: a clock that ticks every 32 ns makes medians of short kernels coarse, and
one disturbed launch must not count.
"""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Time of the reference over time of ours (above 1: ours is faster), with an interval that holds it at 95 %."""

    value: float
    low: float
    high: float

    def is_equal_within(self, margin: float) -> bool:
        """Whether both one-sided tests hold: the interval lies between 1 - margin and 1 + margin."""
        return 1 - margin < self.low and self.high < 1 + margin

    @property
    def is_slower(self) -> bool:
        """Whether ours is slower beyond doubt."""
        return self.high < 1

    @property
    def is_faster(self) -> bool:
        """Whether ours is faster beyond doubt."""
        return self.low > 1


def ratio_of(reference: Sequence[float], ours: Sequence[float], seed: int = 0) -> Ratio:
    """The ratio from the times of quads of launches, two of each a quad: the trimmed mean over quads, bootstrapped.

    Units: any, the same for both. Raises: ValueError when the two have not the same even number of positive times.
    """
    a, b = (np.asarray(times, np.float64) for times in (reference, ours))
    if a.shape != b.shape or a.size % 2 or not a.size or not ((a > 0).all() and (b > 0).all()):
        raise ValueError(f"{a.size} times of the reference and {b.size} of ours are not quads of positive times")
    logs = np.log(a.reshape(-1, 2).sum(axis=1)) - np.log(b.reshape(-1, 2).sum(axis=1))
    return _bootstrapped(logs, TRIMMED, seed)


def geomean(ratios: Sequence[float], seed: int = 0) -> Ratio:
    """The geometric mean of ratios, bootstrapped over them. Raises: ValueError when there are none."""
    logs = np.log(np.asarray(ratios, np.float64))
    if not logs.size:
        raise ValueError("there are no ratios")
    return _bootstrapped(logs, 0, seed)


def _bootstrapped(logs: np.ndarray, trimmed: float, seed: int) -> Ratio:
    """The mean of the logarithms, without a share of them at either end, with the spread of resamples."""
    cut = int(trimmed * logs.size)
    kept = slice(cut, logs.size - cut)
    drawn = logs[np.random.default_rng(seed).integers(0, logs.size, (RESAMPLES, logs.size))]
    spread = np.sort(drawn, axis=1)[:, kept].mean(axis=1)
    low, high = np.quantile(spread, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    value = float(np.sort(logs)[kept].mean())
    return Ratio(math.exp(value), math.exp(float(low)), math.exp(float(high)))
