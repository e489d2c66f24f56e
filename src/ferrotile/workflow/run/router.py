"""The router: from what the stages said so far to what comes next. It knows the table and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ferrotile.workflow.run.routes import CAPS, ROUTES, Route
from ferrotile.workflow.run.words import End, Letter, Owner, Word


@dataclass(frozen=True, slots=True)
class Said:
    """The verdict of one run of a stage."""

    letter: Letter
    word: Word
    owner: Owner | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """What comes next: a stage or an end, and the row of the table that says so (None at the start)."""

    to: Letter | End
    row: Route | None = None


def following(history: Sequence[Said], caps: Mapping[Letter, int] = CAPS) -> Move:
    """The next move. A verdict that no row has, or whose owner is missing, counts as malformed."""
    if not history:
        return Move(Letter.PREFLIGHT)
    last = history[-1]
    asker = history[-2].letter if len(history) > 1 else None
    row = _row(last, asker) or _row(Said(last.letter, Word.MALFORMED), asker)
    assert row is not None, f"the table has no row for a malformed verdict of {last.letter}"
    runs = Counter(said.letter for said in history)
    open_ones = (to for to in row.to if isinstance(to, End) or runs[to] < caps[to])
    return Move(next(open_ones), row)


def _row(said: Said, asker: Letter | None) -> Route | None:
    for row in ROUTES:
        fits = row.source is said.letter and said.word in row.words
        if fits and row.owner in (None, said.owner) and row.asked_by in (None, asker):
            return row
    return None
