"""Device times for the report page: those of a bench, or of an analysis.json that they were filled into."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pydantic_core import from_json

from ferrotile.bench.device import Ratio, Timing, geomean
from ferrotile.bench.device.run import read_times
from ferrotile.core import InputError
from ferrotile.workflow.run.artifacts import Analysis, Measured, read

NANOSECONDS = 1000


@dataclass(frozen=True, slots=True)
class Timed:
    """One specialization. Units: microseconds, medians. `ratio`: reference over ours, with its interval; None where
    only the medians were kept. `note`: what has to be said of it.
    """

    name: str
    reference_us: float
    ours_us: float
    ratio: Ratio | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """What was measured of the kernels of a page. `devices`, `dates`, `versions`: all that the times name, each once.
    `void`: pairs without times, with the reason; `others`: how many pairs are of other kernels; `overall`: the
    geometric mean of all ratios.
    """

    file: Path
    rows: tuple[Timed, ...]
    devices: tuple[str, ...]
    dates: tuple[str, ...]
    versions: tuple[str, ...]
    void: tuple[tuple[str, str], ...] = ()
    others: int = 0
    overall: Ratio | None = None


def times_of(file: Path, names: Collection[str]) -> Times:
    """The times of some specializations, in their order. Raises: FT716 there are none; FT811 a wrong analysis."""
    if _is_analysis(file):
        found = _of_analysis(file, read(file, Analysis).measured, names)
    else:
        found = _of_bench(file, read_times(file), names)
    if not found.rows and not found.void:
        raise InputError("FT716", f"`{file}` has no times of the kernels of this page, but {found.others} of others")
    return found


def _is_analysis(file: Path) -> bool:
    """Whether a file is one JSON object that has variants; a bench writes a line for each pair."""
    try:
        value = from_json(file.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and "variants" in value


def _of_bench(file: Path, timings: Sequence[Timing], names: Collection[str]) -> Times:
    by_name = {timing.name: timing for timing in timings}
    mine = [by_name[name] for name in names if name in by_name]
    valid = [timing for timing in mine if not timing.void]
    return _times(
        file,
        [_row(timing) for timing in valid],
        valid,
        void=tuple((timing.name, timing.void) for timing in mine if timing.void),
        others=len(by_name) - len(mine),
    )


def _of_analysis(file: Path, measured: Mapping[str, Measured], names: Collection[str]) -> Times:
    mine = {name: measured[name] for name in names if name in measured}
    rows = [
        Timed(name, one.baseline_us, one.lowered_us, None if one.ratio is None else Ratio(*one.ratio))
        for name, one in mine.items()
    ]
    return _times(file, rows, list(mine.values()), void=(), others=len(measured) - len(mine))


def _row(timing: Timing) -> Timed:
    reference, ours = (median(times) / NANOSECONDS for times in (timing.reference, timing.ours))
    notes = ["other bits than the reference"] * (timing.same_bits is False) + ["clock held down"] * timing.throttled
    return Timed(timing.name, reference, ours, timing.ratio, ", ".join(notes))


def _times(
    file: Path,
    rows: Sequence[Timed],
    sources: Sequence[Timing | Measured],
    *,
    void: tuple[tuple[str, str], ...],
    others: int,
) -> Times:
    ratios = [row.ratio.value for row in rows if row.ratio is not None]
    versions = [f"{name} {version}" for one in sources for name, version in one.versions.items() if version]
    return Times(
        file, tuple(rows), _each_once(one.device for one in sources), _each_once(one.date for one in sources),
        _each_once(versions), void, others, geomean(ratios) if ratios else None,
    )  # fmt: skip


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
