"""Many operators, unattended: each in its own checkout and confinement, judged by `accept`, committed if accepted.

`batch(out, request)` begins or goes on; names are loaded when first used, as those of the workflow are.

Non-goals: nothing is judged here but by `accept`; nothing is committed that it did not accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrotile.core import lazy

if TYPE_CHECKING:
    from ferrotile.workflow.operators.cluster import on_cluster
    from ferrotile.workflow.operators.drive import Scheduler, batch, locally
    from ferrotile.workflow.operators.plan import batch_request, checkout_of
    from ferrotile.workflow.operators.records import BatchRequest, Fate, Plan, Result, Summary
    from ferrotile.workflow.operators.watching import Progress, progress

_HOMES = {
    ".cluster": ("on_cluster",),
    ".drive": ("Scheduler", "batch", "locally"),
    ".plan": ("batch_request", "checkout_of"),
    ".watching": ("Progress", "progress"),
    ".records": ("BatchRequest", "Fate", "Plan", "Result", "Summary"),
}  # fmt: skip
__getattr__ = lazy.attributes(__name__, _HOMES)

__all__ = [
    "BatchRequest",
    "Fate",
    "Plan",
    "Progress",
    "Result",
    "Scheduler",
    "Summary",
    "batch",
    "batch_request",
    "checkout_of",
    "locally",
    "on_cluster",
    "progress",
]
