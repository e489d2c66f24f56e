"""Draw kernels and judge each; the first that fails is shrunk."""

from __future__ import annotations

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

SHRINKING_SECONDS = 120
"""How long a failure is made smaller, at most."""


@dataclass
class Tally:
    """Counts of a hunt. `front_end` counts what cuda.tile refuses; the other counts are of kernels that it takes."""

    verdicts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    front_end: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
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
        for name in ("verdicts", "refusals", "front_end", "known", "not_interpreted", "operations", "styles", "closer"):
            getattr(self, name).update(getattr(other, name))
        for name in ("compared", "elements", "open"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class Hunt:
    """What a hunt came to: counts, and the smallest kernel that fails, if one does."""

    tally: Tally
    failure: tuple[Program, Outcome] | None


class Differs(AssertionError):
    """A kernel's translation is another program, as check says."""


class Unproved(AssertionError):
    """Check gave up."""


class Fault(AssertionError):
    """Something broke down, or numbers differ."""


CLASSES = {"DIFFERS": Differs, "UNPROVED": Unproved, "fault": Fault}


def hunt(count: int, number: int, judged: Callable[[Program], Outcome] = judge, *, shrinks: bool = True) -> Hunt:
    """Judge so many kernels that cuda.tile takes; `number` is the seed, and gives the same kernels each time."""
    tally = Tally()
    failures: list[tuple[Program, Outcome]] = []
    phases = [Phase.generate, Phase.shrink] if shrinks else [Phase.generate]

    def look(program: Program) -> None:
        outcome = judged(program)
        if not failures:
            tally.add(outcome)
        if outcome.kind == "front-end":
            reject()
        if outcome.failed and explanation(outcome) is None:
            failures.append((program, outcome))
            raise CLASSES[outcome.kind](outcome.sentence)

    run = settings(
        max_examples=count, database=None, deadline=None, phases=phases, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck), print_blob=False,
    )(seed(number)(given(programs())(look)))  # fmt: skip
    try:
        # Five of six kernels would be a kernel before with a piece copied over another: too much alike.
        alike = patch.object(ConjectureRunner, "generate_mutations_from", lambda *_: None)
        with alike, patch.object(engine, "MAX_SHRINKING_SECONDS", SHRINKING_SECONDS):
            run()
    except tuple(CLASSES.values()):
        # Hypothesis runs the smallest one last.
        return Hunt(tally, failures[-1])
    return Hunt(tally, None)
