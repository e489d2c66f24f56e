"""What the replay of one claim came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """HELD: replayed, and true. FAILED: replayed, and not true. SKIPPED: not replayed; the sentence says why."""

    HELD = "held"
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Step:
    """One claim: its name, what came of it, in one sentence; with a code if it is not true."""

    name: str
    outcome: Outcome
    sentence: str
    code: str | None = None


def held(name: str, sentence: str) -> Step:
    """A claim that is true."""
    return Step(name, Outcome.HELD, sentence)


def skipped(name: str, sentence: str) -> Step:
    """A claim that cannot be replayed here."""
    return Step(name, Outcome.SKIPPED, sentence)


def failed(name: str, code: str, sentence: str) -> Step:
    """A claim that is not true."""
    return Step(name, Outcome.FAILED, sentence, code)
