"""The outcome of measuring one pair, and its JSON line."""

from __future__ import annotations

import json
from statistics import median

from pydantic import BaseModel, ConfigDict

from ferrotile.bench.device.plan import PairPlan
from ferrotile.bench.device.statistics import Ratio, ratio_of


class Timing(BaseModel):
    """Kernel times of one pair. Units: nanoseconds, one entry a launch, in order; clocks in MHz before and after.

    `void` says why there are no times: the run counts for nothing then. `same_bits`: whether both sides, started on
    the same memory, left the same bytes in all arrays. `device`: the GPU; `date`: the day in UTC, as ISO 8601 has it;
    `versions` of what made the programs. These three are empty in files of before they were kept.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    kernel: str
    machine: str
    reference: tuple[int, ...] = ()
    ours: tuple[int, ...] = ()
    same_bits: bool | None = None
    clocks: tuple[int, ...] = ()
    throttled: bool = False
    device: str = ""
    date: str = ""
    versions: dict[str, str | None] = {}
    void: str = ""

    @property
    def ratio(self) -> Ratio | None:
        """Reference over ours; None when the run is void."""
        return None if self.void else ratio_of(self.reference, self.ours)

    def to_json(self) -> str:
        """One line; the ratio and both medians stand in it for readers, and are computed again from the times."""
        fields = self.model_dump()
        if (ratio := self.ratio) is not None:
            fields["ratio"] = [round(value, 5) for value in (ratio.value, ratio.low, ratio.high)]
            fields["median_us"] = [median(self.reference) / 1000, median(self.ours) / 1000]
        return json.dumps(fields)

    @staticmethod
    def nothing(pair: PairPlan, code: str, reason: str) -> Timing:
        """A pair that could not be measured, with the code and the reason."""
        return Timing(name=pair.name, kernel=pair.kernel, machine=pair.machine, void=f"{code}: {reason}")

    @staticmethod
    def from_json(line: str) -> Timing:
        """Read a line that `to_json` wrote."""
        return Timing.model_validate_json(line)
