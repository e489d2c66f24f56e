"""Measure a whole pack and write the times; read them again; make the table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from ferrotile.bench.device.calibration import KNOWN, calibrate
from ferrotile.bench.device.images import compiled
from ferrotile.bench.device.measure import measure_all
from ferrotile.bench.device.plan import read_plan
from ferrotile.bench.device.summary import Summary, summarize
from ferrotile.bench.device.timing import Timing
from ferrotile.core import EnvironmentFault, InputError, store

COLUMNS = ("name", "kernel", "machine_code", "reference_us", "ours_us", "ratio", "low", "high", "same_bits", "void")


def run_pack(folder: Path, times: Path, quads: int | None, tell: Callable[[str], None]) -> list[Timing]:
    """Measure a pack and write a line for each pair, those of known ratio first. Raises: FT71x.

    `tell` is given a line for each pair as it is done.
    """
    plan, timings = compiled(folder, read_plan(folder))
    with store.scratch() as calibration:
        known, wrong = calibrate(calibration)
    if wrong:
        raise EnvironmentFault("FT715", f"the harness cannot be trusted here: {'; '.join(wrong)}")
    today = datetime.now(UTC).date().isoformat()
    for index, timing in measure_all(folder, list(plan.pairs), quads):
        timings.append(timing.model_copy(update={"date": today, "versions": plan.versions}))
        tell(f"{len(timings)} of {len(plan.pairs)} {plan.pairs[index].name}: {timing.void or timing.ratio}")
    store.write_text(times, "".join(f"{timing.to_json()}\n" for timing in (*known, *timings)))
    return timings


def read_times(file: Path) -> list[Timing]:
    """The timings of a file that `run_pack` wrote, without those of known ratio. Raises: FT716."""
    try:
        timings = [Timing.from_json(line) for line in file.read_text().splitlines() if line]
    except (OSError, ValueError) as error:
        raise InputError("FT716", f"`{file}` holds no device times: {str(error).splitlines()[0].lower()}") from None
    return [timing for timing in timings if timing.kernel != KNOWN]


def summary_of(timings: list[Timing]) -> Summary:
    """The table of timings. Raises: FT716 when all are void."""
    if all(timing.void for timing in timings):
        reason = timings[0].void if timings else "there are none"
        raise InputError("FT716", f"no pair has a valid time: {reason}")
    return summarize(timings)


def write_csv(timings: list[Timing], file: Path) -> None:
    """Write one line a pair. Units: microseconds, medians."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in timings:
        ratio = one.ratio
        numbers = ("",) * 5
        if ratio is not None:
            both = (median(one.reference) / 1000, median(one.ours) / 1000)
            numbers = tuple(f"{value:.5f}" for value in (*both, ratio.value, ratio.low, ratio.high))
        writer.writerow((one.name, one.kernel, one.machine, *numbers, one.same_bits, one.void))
    store.write_text(file, text.getvalue())
