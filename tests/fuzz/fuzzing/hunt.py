"""Draw kernels and judge each; the first of those that fail in one way is shrunk."""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, given, reject, seed, settings
from hypothesis.internal.conjecture import engine
from hypothesis.internal.conjecture.engine import ConjectureRunner

from fuzzing.author import programs
from fuzzing.judge import Outcome, judge
from fuzzing.keep import explanation
from fuzzing.program import Program

SHRINKING_SECONDS = 60
"""How long a failure is made smaller, at most, and what is being judged then to its end."""


COUNTERS = (
    "verdicts", "refusals", "front_end", "known", "failures", "not_interpreted", "operations", "styles", "closer",
)  # fmt: skip


@dataclass
class Tally:
    """Counts of a hunt. `front_end` counts what cuda.tile refuses; the other counts are of kernels that it takes."""

    verdicts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    front_end: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    not_interpreted: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    styles: Counter[str] = field(default_factory=Counter)
    closer: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    elements: int = 0
    open: int = 0

    @property
    def kernels(self) -> int:
        """Kernels that count."""
        return sum(self.verdicts.values())

    def add(self, outcome: Outcome) -> None:
        """Count one kernel."""
        if outcome.kind == "front-end":
            self.front_end[f"{outcome.code} {outcome.sentence}"] += 1
            return
        name = explanation(outcome)
        self.verdicts["known" if name else outcome.kind] += 1
        if name:
            self.known[name] += 1
        elif outcome.failed:
            self.failures[signature(outcome)] += 1
        if outcome.kind == "REFUSED":
            self.refusals[f"{outcome.code} {outcome.sentence}"] += 1
        if outcome.not_interpreted:
            self.not_interpreted[outcome.not_interpreted] += 1
        if outcome.style:
            self.styles[outcome.style] += 1
        if outcome.closer:
            self.closer[outcome.closer] += 1
        self.compared += outcome.compared > 0
        self.elements += outcome.compared
        self.open += outcome.open > 0
        self.operations.update(outcome.operations)

    def include(self, other: Tally) -> None:
        """Add the counts of another hunt."""
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for name in ("compared", "elements", "open"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class Hunt:
    """What a hunt came to: counts, and of each way to fail that was wanted the smallest kernel that fails so."""

    tally: Tally
    failures: tuple[tuple[Program, Outcome], ...]


class Fails(AssertionError):
    """A kernel fails in the way that is looked for."""


class Enough(BaseException):
    """Time is up: no failure, so hypothesis does not catch it."""


Judge = Callable[[Program], Outcome]
Look = Callable[[Program], None]
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?|\b(nan|inf|True|False)\b")
_LIST = re.compile(r"#( ?, ?-?#)+")


def signature(outcome: Outcome) -> str:
    """Kind, code and sentence with numbers masked: failures that have it in common count as one.

    Example:
        >>> signature(Outcome("fault", "", "array 0 at (3, 0) is -2.5, not inf"))
        'fault : array # at (#) is -#, not #'
    """
    return f"{outcome.kind} {outcome.code}: {_LIST.sub('#', _NUMBER.sub('#', outcome.sentence))}"


def hunt(
    count: int, number: int, judged: Judge = judge, *, wanted: Callable[[str], bool] = lambda way: True
) -> Hunt:  # fmt: skip
    """Judge so many kernels that cuda.tile takes; `number` is the seed, and gives the same kernels each time.

    A failure ends nothing. Of each way to fail, the first kernel is made smaller if `wanted` says so of its signature.
    """
    tally = Tally()
    outcomes: dict[Program, Outcome] = {}
    ways: dict[str, Program] = {}

    def look(program: Program) -> None:
        outcome = outcomes[program] = judged(program)
        tally.add(outcome)
        if outcome.kind == "front-end":
            reject()
        if outcome.failed and explanation(outcome) is None:
            ways.setdefault(signature(outcome), program)

    _draw(count, number, look, [Phase.generate])
    smaller = [_shrunk(count, number, judged, way, outcomes, first) for way, first in ways.items() if wanted(way)]
    return Hunt(tally, tuple(smaller))


def _shrunk(
    count: int, number: int, judged: Judge, way: str, outcomes: dict[Program, Outcome], first: Program
) -> tuple[Program, Outcome]:
    """Draw the same kernels again up to `first`, which costs no judging, and let hypothesis make that one smaller."""
    found = [(first, outcomes[first])]
    deadline = math.inf

    def look(program: Program) -> None:
        nonlocal deadline
        if time.monotonic() > deadline:
            raise Enough
        outcome = outcomes.get(program) or judged(program)
        if outcome.kind == "front-end":
            reject()
        if outcome.failed and signature(outcome) == way:
            deadline = min(deadline, time.monotonic() + SHRINKING_SECONDS)
            found.append((program, outcome))
            raise Fails

    with contextlib.suppress(Fails, Enough):
        _draw(count, number, look, [Phase.generate, Phase.shrink])
    return min(found, key=lambda one: len(one[0].text))


def _draw(count: int, number: int, look: Look, phases: list[Phase]) -> None:
    """Hand kernels to `look` until it has kept so many, or fails and hypothesis is done with what failed."""
    run = settings(
        max_examples=count, database=None, deadline=None, phases=phases, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck), print_blob=False,
    )(seed(number)(given(programs())(look)))  # fmt: skip
    # Five of six kernels would be a kernel before with a piece copied over another: too much alike.
    alike = patch.object(ConjectureRunner, "generate_mutations_from", lambda *_: None)
    # What is drawn and thrown away while it shrinks never comes to `look`, and its time ends here.
    with alike, patch.object(engine, "MAX_SHRINKING_SECONDS", 2 * SHRINKING_SECONDS):
        run()
