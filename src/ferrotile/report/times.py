"""Device times as a table, and a pack in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from ferrotile.bench.device.statistics import Ratio
    from ferrotile.bench.device.summary import Summary
    from ferrotile.workflow import Packed

HEADINGS = ("kernel", "configurations", "identical code", "reference us", "ours us", "ratio", "interval", "worst")


def times_table(summary: Summary) -> Table:
    """A line a kernel. Units: microseconds, median over configurations; ratio of reference over ours."""
    table = Table(*HEADINGS)
    for line in summary.lines:
        worst = line.worst.ratio
        table.add_row(
            line.kernel,
            str(line.configurations),
            str(line.identical),
            f"{line.reference_us:.2f}",
            f"{line.ours_us:.2f}",
            f"{line.ratio.value:.4f}",
            _interval(line.ratio),
            "-" if worst is None else f"{worst.value:.4f}",
        )
    return table


def times_text(summary: Summary) -> list[str]:
    """The geometric mean, then what is not in it or has to be named."""
    word = "equally fast within 1 %" if summary.is_equally_fast else "not shown to be equally fast within 1 %"
    lines = [
        f"{summary.measured} configurations, geometric mean {summary.overall.value:.4f}, 95 % interval "
        f"{_interval(summary.overall)}: {word}"
    ]
    lines += [f"void: {timing.name}: {timing.void}" for timing in summary.void]
    lines += [f"other bits than the reference: {timing.name}" for timing in summary.other_bits]
    lines += [f"slower than it may be: {line.kernel} {line.ratio.value:.4f}" for line in summary.below]
    return lines + [f"{summary.throttled} pairs ran with the clock held down"] * bool(summary.throttled)


def pack_text(packed: Packed) -> list[str]:
    """What was packed and what was not."""
    lines = [f"left out: {reason}" for reason in packed.left_out]
    return [*lines, f"{packed.pairs} pairs for {packed.target} in {packed.folder}; {len(packed.left_out)} left out"]


def pack_json(packed: Packed) -> dict[str, Any]:
    """The same for programs."""
    return {
        "folder": str(packed.folder),
        "target": packed.target,
        "pairs": packed.pairs,
        "left_out": list(packed.left_out),
    }


def _interval(ratio: Ratio) -> str:
    return f"{ratio.low:.4f} to {ratio.high:.4f}"
