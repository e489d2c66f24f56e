"""Records that artifacts hold: their common form, and what the variants of one kernel come to."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Record(BaseModel):
    """A record that takes no field it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GridFormula(Record):
    """A rule for the launch grid: a formula for each axis; `equal`: extents or numbers that it takes for one.

    It gives the grid of each of `launches` recorded launches.
    """

    axes: tuple[str, str, str]
    equal: tuple[tuple[str, str], ...]
    launches: int


class KernelFacts(Record):
    """What the variants of one kernel come to. `constants`: their values, as Python spells them; `guards`: by variant,
    what of the constants must hold; `grid` is None where no rule is known, and `why_no_grid` says why.
    """

    name: str
    variants: tuple[str, ...]
    constants: dict[str, tuple[str, ...]]
    guards: dict[str, str]
    dtypes: tuple[str, ...]
    grid: GridFormula | None
    why_no_grid: str | None


class Measured(Record):
    """Times of a variant on a device, as a bench measured them. Units: microseconds, the median.

    `ratio`: of the baseline over ours, with the ends of its 95 % interval; `date` and `versions`: when, and of what
    made the programs. All three are missing in files of before they were kept.
    """

    device: str
    baseline: str
    baseline_us: float
    lowered_us: float
    ratio: tuple[float, float, float] | None = None
    date: str = ""
    versions: dict[str, str | None] = Field(default_factory=dict)
