"""The route table: what follows a verdict, and how often each stage may run. The only place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ferrotile.workflow.run.words import End, Letter, Owner, Word

P, A, B, C, D, E, F = (
    Letter.PREFLIGHT, Letter.ANALYST, Letter.AUTHOR, Letter.IR_DIFF, Letter.HOST, Letter.PERFORMANCE, Letter.RESIDUAL,
)  # fmt: skip

CAPS: Mapping[Letter, int] = {P: 1, A: 1, B: 2, C: 1, D: 2, E: 2, F: 1}
"""How often a stage may run."""

REPAIRS = 1
"""How often a stage that was given to a command may repair the form of its verdict block, in a whole run."""


@dataclass(frozen=True, slots=True)
class Route:
    """One row: after a stage gave one of these verdicts, the first of `to` that has a run left.

    `owner`: only for faults of this owner; `asked_by`: only if that stage came right before. `to` ends with an end.
    """

    source: Letter
    words: tuple[Word, ...]
    to: tuple[Letter | End, ...]
    owner: Owner | None = None
    asked_by: Letter | None = None


ROUTES: tuple[Route, ...] = (
    Route(P, (Word.OK,), (A, End.STOP)),
    Route(P, (Word.NOT_OK,), (End.STOP,)),
    Route(A, (Word.PASS,), (B, End.STOP)),
    Route(A, (Word.FAIL_FIXABLE, Word.BLOCKED), (End.STOP,)),
    Route(B, (Word.COMPILED,), (D, End.GAP)),
    Route(B, (Word.FAIL_COMPILE, Word.FAIL_FIXABLE, Word.BLOCKED), (End.STOP,)),
    Route(D, (Word.ALL_PASS,), (E, End.GAP)),
    Route(D, (Word.FAIL, Word.BLOCKED), (D, End.GAP), owner=Owner.HOST),
    Route(D, (Word.FAIL, Word.BLOCKED), (C, End.GAP), owner=Owner.KERNEL),
    Route(D, (Word.FAIL, Word.BLOCKED), (End.STOP,), owner=Owner.ENV),
    Route(E, (Word.DONE,), (End.COMPLETE,)),
    Route(E, (Word.INVESTIGATE, Word.BLOCKED), (C, F, End.GAP)),
    Route(C, (Word.FAIL_FIXABLE,), (D, End.GAP), owner=Owner.HOST),
    Route(C, (Word.FAIL_FIXABLE,), (B, End.GAP), owner=Owner.KERNEL),
    Route(C, (Word.PASS, Word.PASS_WITH_NOTES), (F, End.GAP), asked_by=E),
    Route(C, (Word.PASS, Word.PASS_WITH_NOTES), (End.GAP,), asked_by=D),
    Route(C, (Word.FAIL_COMPILER_BUG, Word.BLOCKED), (End.GAP,)),
    Route(F, (Word.FIXABLE,), (D, End.GAP), owner=Owner.HOST),
    Route(F, (Word.FIXABLE,), (B, End.GAP), owner=Owner.KERNEL),
    Route(F, (Word.ALIGNED, Word.BLOCKED), (End.GAP,)),
    *(Route(letter, (Word.MALFORMED,), (End.STOP,)) for letter in (P, A, B, D)),
    *(Route(letter, (Word.MALFORMED,), (End.GAP,)) for letter in (C, E, F)),
)


def words_of(letter: Letter) -> frozenset[Word]:
    """The verdicts that a stage may give."""
    return frozenset(word for row in ROUTES if row.source is letter for word in row.words) - {Word.MALFORMED}
