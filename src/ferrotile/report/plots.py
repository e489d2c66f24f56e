"""Device times as plots: where the marks of an SVG stand; the page's template draws them, a table has the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ferrotile.workflow import Timed, Times

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 480, 14, 20, 34, 12, 34
"""Sizes in the units of the picture; a row has its name above its marks."""
LONGEST = 66
"""Characters of a name that fit; of a longer one the middle is left out."""
MARGIN = 0.01
"""Ratios within this share of 1 count as equally fast: the band of the second plot."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a row, and what it says when it is pointed at."""

    kind: str
    x: float
    says: str


@dataclass(frozen=True, slots=True)
class PlotRow:
    """One specialization: `text_y` of its name, `y` of its marks, and the interval around its mark, if there is one."""

    name: str
    label: str
    text_y: float
    y: float
    marks: tuple[Mark, ...]
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture. `ticks`: place and text; `band` and `line`: what marks are compared with; `unit`: the axis' name."""

    title: str
    description: str
    height: float
    unit: str
    ticks: tuple[tuple[float, str], ...]
    rows: tuple[PlotRow, ...]
    band: tuple[float, float] | None = None
    line: float | None = None
    width: float = WIDTH
    top: float = TOP

    @property
    def floor(self) -> float:
        """Where the axis lies."""
        return self.height - BOTTOM


def plots_of(times: Times) -> tuple[Plot, ...]:
    """The times of both programs, and their ratios with intervals; nothing without rows."""
    return (_times(times.rows), _ratios(times.rows)) if times.rows else ()


def _times(rows: Sequence[Timed]) -> Plot:
    values = [value for row in rows for value in (row.reference_us, row.ours_us)]
    low, high = _widened(min(values), max(values), 1.05)
    place = _scale(low, high)

    def made(row: Timed, number: int) -> PlotRow:
        marks = (
            Mark("reference", place(row.reference_us), f"{row.name}: reference {row.reference_us:.3f} us"),
            Mark("ours", place(row.ours_us), f"{row.name}: Rust {row.ours_us:.3f} us"),
        )
        return _row(row.name, number, marks)

    description = (
        f"A row for each of {len(rows)} specializations; a ring is the reference, a disc the Rust, "
        f"from {min(values):.2f} to {max(values):.2f} microseconds, on a logarithmic axis. The table has the numbers."
    )
    return Plot(
        "Median device time", description, _height(rows), "microseconds, median; logarithmic",
        _placed(ticks(low, high), place), tuple(made(row, number) for number, row in enumerate(rows)),
    )  # fmt: skip


def _ratios(rows: Sequence[Timed]) -> Plot:
    ends = [end for row in rows for end in (_ratio(row), *_interval(row))]
    low, high = _widened(min(*ends, 1 - 2 * MARGIN), max(*ends, 1 + 2 * MARGIN), 1.002)
    place = _scale(low, high)

    def made(row: Timed, number: int) -> PlotRow:
        value, interval = _ratio(row), _interval(row)
        within = f", interval {interval[0]:.4f} to {interval[1]:.4f}" if interval else ", no interval"
        mark = Mark(kind(row), place(value), f"{row.name}: ratio {value:.4f}{within}")
        return _row(row.name, number, (mark,), (place(interval[0]), place(interval[1])) if interval else None)

    slower = sum(kind(row) == "slower" for row in rows)
    description = (
        f"A row for each of {len(rows)} specializations: time of the reference over time of the Rust with its 95 % "
        f"interval; above 1 the Rust is faster. Of {slower} the whole interval is below 1. The table has the numbers."
    )
    return Plot(
        "Ratio, reference over Rust", description, _height(rows),
        "ratio with its 95 % interval; above 1: Rust is faster", _placed(ticks(low, high), place),
        tuple(made(row, number) for number, row in enumerate(rows)), (place(1 - MARGIN), place(1 + MARGIN)), place(1.0),
    )  # fmt: skip


def kind(row: Timed) -> str:
    """What an interval says: `slower` or `faster` beyond doubt, else `even`; `medians` where there is no interval."""
    if row.ratio is None:
        return "medians"
    return "slower" if row.ratio.is_slower else "faster" if row.ratio.is_faster else "even"


def _ratio(row: Timed) -> float:
    return row.reference_us / row.ours_us if row.ratio is None else row.ratio.value


def _interval(row: Timed) -> tuple[float, ...]:
    return () if row.ratio is None else (row.ratio.low, row.ratio.high)


def _row(name: str, number: int, marks: tuple[Mark, ...], interval: tuple[float, float] | None = None) -> PlotRow:
    top = TOP + number * ROW
    return PlotRow(name, _short(name), top + 12, top + 23, marks, interval)


def _short(name: str) -> str:
    half = (LONGEST - 1) // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[-half:]}"


def _height(rows: Sequence[Timed]) -> float:
    return TOP + ROW * len(rows) + BOTTOM


def _widened(low: float, high: float, by: float) -> tuple[float, float]:
    return low / by, high * by


def _scale(low: float, high: float) -> Callable[[float], float]:
    """From a number to its place between the sides, by logarithms."""
    span = math.log(high) - math.log(low)
    return lambda value: round(LEFT + (WIDTH - LEFT - RIGHT) * (math.log(value) - math.log(low)) / span, 2)


def _placed(values: Iterable[float], place: Callable[[float], float]) -> tuple[tuple[float, str], ...]:
    return tuple((place(value), f"{value:g}") for value in values)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two: powers of ten, their doubles and fives, or even steps, as many as can be read."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 2, 5)):
        found = [factor * 10.0**power for power in decades for factor in factors]
        inside = [value for value in found if low <= value <= high]
        if 4 <= len(inside) <= 9:
            return inside
    step = _step((high - low) / 5)
    first = math.ceil(low / step)
    return [float(f"{number * step:.10g}") for number in range(first, math.floor(high / step) + 1)]


def _step(rough: float) -> float:
    """The next round number: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
