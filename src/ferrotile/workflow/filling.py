"""Put the times of a bench into an analysis.json: a copy of it, since the stages of a run vouch for what they wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ferrotile.bench.device import Timing
from ferrotile.core import InputError
from ferrotile.workflow.run.artifacts import Analysis, Measured, read, write

NANOSECONDS = 1000


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled analysis: where it is, which variants have times, and which have none, with the reason."""

    file: Path
    measured: tuple[str, ...]
    missing: dict[str, str]


def fill_analysis(analysis: Path, timings: Sequence[Timing], file: Path) -> Filled:
    """Write `analysis` with the times of its variants to `file`, which must be another; both medians in microseconds.

    A variant has times when a pair of its name was measured, not void, on a device that the times name.
    Raises: FT716 when no variant has times, or `file` is `analysis`; FT811 for what is no analysis.
    """
    if file.resolve() == analysis.resolve():
        raise InputError("FT716", f"`{analysis}` is not written over: the run that it is of vouches for it as it is")
    found = read(analysis, Analysis)
    by_name = {timing.name: timing for timing in timings}
    missing = {one.name: reason for one in found.variants if (reason := _why_not(by_name.get(one.name)))}
    names = tuple(one.name for one in found.variants if one.name not in missing)
    if not names:
        reason = f"`{found.variants[0].name}`: {missing[found.variants[0].name]}" if missing else "it has no variants"
        raise InputError("FT716", f"no variant of `{analysis}` was measured: {reason}")
    measured = {name: _measured(found.baseline, by_name[name]) for name in names}
    write(file, found.model_copy(update={"measured": {**found.measured, **measured}}))
    return Filled(file, names, missing)


def _why_not(timing: Timing | None) -> str | None:
    """Why a variant has no times, if it has none."""
    if timing is None:
        return "no pair has its name"
    if timing.void:
        return timing.void
    return None if timing.device else "its times do not name the GPU"


def _measured(baseline: str, timing: Timing) -> Measured:
    reference, ours = (median(times) / NANOSECONDS for times in (timing.reference, timing.ours))
    ratio = timing.ratio
    return Measured(
        device=timing.device, baseline=baseline, baseline_us=reference, lowered_us=ours, date=timing.date,
        ratio=None if ratio is None else (ratio.value, ratio.low, ratio.high), versions=timing.versions,
    )  # fmt: skip
