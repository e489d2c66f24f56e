"""Run an operator through the stages, keep a journal, and accept what came out.

`run(root, request)` goes on until the route table says that there is an end; `accept(root)` believes nothing of it.
Names are loaded when first used, as those of the workflow are.

Non-goals: nothing but the table decides what comes next, and no verdict is taken from a text.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrotile.workflow.agents.given import makers_of
    from ferrotile.workflow.run.acceptance import Acceptance, Checked, accept
    from ferrotile.workflow.run.artifacts import Outcome, Request
    from ferrotile.workflow.run.drive import Step, request_of, run
    from ferrotile.workflow.run.words import STAGE_NAMES, End, Letter

_HOMES = {
    f"{__name__}.acceptance": ("Acceptance", "Checked", "accept"),
    f"{__name__}.artifacts": ("Outcome", "Request"),
    f"{__name__}.drive": ("Step", "request_of", "run"),
    f"{__name__}.words": ("STAGE_NAMES", "End", "Letter"),
    "ferrotile.workflow.agents.given": ("makers_of",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module `{__name__}` has no `{name}`")
    return getattr(importlib.import_module(_HOME[name]), name)


__all__ = [
    "STAGE_NAMES",
    "Acceptance",
    "Checked",
    "End",
    "Letter",
    "Outcome",
    "Request",
    "Step",
    "accept",
    "makers_of",
    "request_of",
    "run",
]
