"""Run an operator through the stages, keep a journal, and accept what came out.

`run(root, request)` goes on until the route table says that there is an end; `accept(root)` believes nothing of it.
Names are loaded when first used, as those of the workflow are.

Non-goals: nothing but the table decides what comes next, and no verdict is taken from a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrotile.core import lazy

if TYPE_CHECKING:
    from ferrotile.workflow.agents.given import makers_of
    from ferrotile.workflow.run.acceptance import Acceptance, Checked, accept
    from ferrotile.workflow.run.artifacts import Analysis, Outcome, Request, read
    from ferrotile.workflow.run.drive import Step, request_of, run
    from ferrotile.workflow.run.words import STAGE_NAMES, End, Letter

_HOMES = {
    ".acceptance": ("Acceptance", "Checked", "accept"),
    ".artifacts": ("Analysis", "Outcome", "Request", "read"),
    ".drive": ("Step", "request_of", "run"),
    ".words": ("STAGE_NAMES", "End", "Letter"),
    "..agents.given": ("makers_of",),
}  # fmt: skip
__getattr__ = lazy.attributes(__name__, _HOMES)

__all__ = [
    "STAGE_NAMES",
    "Acceptance",
    "Analysis",
    "Checked",
    "End",
    "Letter",
    "Outcome",
    "Request",
    "Step",
    "accept",
    "makers_of",
    "read",
    "request_of",
    "run",
]
