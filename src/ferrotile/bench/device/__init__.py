"""Device time of two programs that compute the same: reference and ours, interleaved in one process, read by CUPTI.

`pack` writes on any machine what a machine with a GPU needs; `measure_all` runs it there; `summarize` makes the table.
Kernel times come from CUPTI's activity records and are counted: a run that lost one is void, never patched up.

Non-goals: host time is not measured here, nothing is compiled, and no time is ever compared with one of another run.
"""

from ferrotile.bench.device.plan import ArrayPlan, PairPlan, Parameter, Plan, SidePlan
from ferrotile.bench.device.statistics import Ratio, geomean, ratio_of
from ferrotile.bench.device.timing import Timing

__all__ = [
    "ArrayPlan",
    "PairPlan",
    "Parameter",
    "Plan",
    "Ratio",
    "SidePlan",
    "Timing",
    "geomean",
    "ratio_of",
]
