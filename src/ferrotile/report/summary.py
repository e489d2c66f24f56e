"""The last line of a run: how many of each outcome, and how long the steps took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ferrotile.core import MachineKind, VerdictKind

if TYPE_CHECKING:
    from ferrotile.workflow import Row


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a run. Units: `seconds` is wall time of the run; `codes` counts rows per code."""

    inputs: int
    verdicts: dict[str, int]
    sass: dict[str, int]
    codes: dict[str, int]
    unsafe: int
    checks_in_kernel: int
    seconds: float
    exit_code: int

    def to_json(self) -> dict[str, Any]:
        """The summary line of `translate --json`."""
        return {
            "summary": {
                "inputs": self.inputs,
                "verdicts": self.verdicts,
                "sass": self.sass,
                "codes": self.codes,
                "unsafe": self.unsafe,
                "checks_in_kernel": self.checks_in_kernel,
                "seconds": round(self.seconds, 3),
                "exit_code": self.exit_code,
            }
        }

    def to_text(self) -> str:
        """The summary as a sentence."""
        verdicts = ", ".join(f"{count} {word}" for word, count in self.verdicts.items() if count)
        compared = {word: count for word, count in self.sass.items() if count and word != MachineKind.SKIPPED}
        machine = ", ".join(f"{count} {word}" for word, count in compared.items())
        codes = ", ".join(f"{code} x{count}" for code, count in self.codes.items())
        parts = [f"{self.inputs} inputs: {verdicts}"]
        parts += [f"machine code: {machine}"] * bool(machine) + [f"codes: {codes}"] * bool(codes)
        return "; ".join([*parts, f"{self.seconds:.1f} s"])


def summarize(rows: Sequence[Row], seconds: float, exit_code: int) -> Summary:
    """Count rows."""
    verdicts = Counter(row.verdict for row in rows)
    sass = Counter(row.sass for row in rows)
    return Summary(
        len(rows),
        {str(kind): verdicts[kind] for kind in VerdictKind},
        {str(kind): sass[kind] for kind in MachineKind},
        dict(sorted(Counter(row.code for row in rows if row.code).items())),
        sum(row.unsafe or 0 for row in rows),
        sum(row.checks_in_kernel or 0 for row in rows),
        seconds,
        exit_code,
    )
