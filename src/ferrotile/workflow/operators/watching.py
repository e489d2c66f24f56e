"""How far the operators of a batch are, read from their journals: the runs themselves are processes of their own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ferrotile.core import FerrotileError
from ferrotile.workflow.operators.plan import folder_of
from ferrotile.workflow.operators.records import Plan, Result
from ferrotile.workflow.operators.work import RESULT
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.journal import JOURNAL


@dataclass(frozen=True, slots=True)
class Progress:
    """One operator: the number of its try (0: waiting), its steps with their verdicts, its result if there is one."""

    name: str
    number: int
    steps: tuple[a.Entry, ...]
    result: Result | None


def progress(out: Path, plan: Plan) -> list[Progress]:
    """All operators of a batch, in its order."""
    return [_progress(folder_of(out, one.name), one.name) for one in plan.operators]


def _progress(place: Path, name: str) -> Progress:
    number = max((int(path.name[3:]) for path in place.glob("try[0-9]")), default=0)
    steps: tuple[a.Entry, ...] = ()
    result = None
    with suppress(FerrotileError):  # not begun
        steps = a.read(place / f"try{number}" / "run" / JOURNAL, a.Journal).entries
    with suppress(FerrotileError):
        result = a.read(place / RESULT, Result)
    return Progress(name, number, steps, result)
