"""The decision table: from what the four cells came to, to who owns the fault. It is data, one row a combination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product


class Side(StrEnum):
    """Whose program, or whose launcher."""

    REFERENCE = "reference"
    OURS = "ours"


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One combination of a program and what launches it."""

    program: Side
    launcher: Side

    def __str__(self) -> str:
        return f"{_WHOSE[self.program]} program, {_WHOSE[self.launcher]} launcher"


_WHOSE = {Side.REFERENCE: "reference", Side.OURS: "our"}
CELLS = tuple(Cell(program, launcher) for program in Side for launcher in Side)
"""The order of the digits in a row of the table: the reference's program first, by the reference's launcher first."""


class State(StrEnum):
    """What a cell came to.

    WRONG: it ran, and its numbers are others than the oracle's. REFUSED: a launcher declined, and nothing was launched.
    FAILED: the driver or the GPU reported an error. CRASHED: its process died, or did not end. VARIES: launches on the
    same bytes left other numbers, not all right. NOT_MADE: the combination cannot be put together. UNJUDGED: it ran,
    and there is no oracle.
    """

    RIGHT = "right"
    WRONG = "WRONG"
    REFUSED = "REFUSED"
    FAILED = "FAILED"
    CRASHED = "CRASHED"
    VARIES = "VARIES"
    NOT_MADE = "not made"
    UNJUDGED = "not judged"

    @property
    def is_bad(self) -> bool | None:
        """Whether the table counts it as not right; None where that is not known."""
        return None if self in (State.NOT_MADE, State.UNJUDGED) else self is not State.RIGHT


class Owner(StrEnum):
    """Who owns a fault.

    INTERACTION: each part is right in other company, so it is what they agree upon: order, kind, meaning of parameters.
    """

    KERNEL = "kernel"
    HOST = "host"
    INTERACTION = "interaction"
    REFERENCE_KERNEL = "reference kernel"
    REFERENCE_HOST = "reference host"
    REFERENCE_OR_ORACLE = "reference or oracle"


_KERNEL, _HOST, _BETWEEN = Owner.KERNEL, Owner.HOST, Owner.INTERACTION
_THEIR_KERNEL, _THEIR_HOST = Owner.REFERENCE_KERNEL, Owner.REFERENCE_HOST
TABLE: Mapping[str, tuple[Owner, ...]] = {
    # reference program by reference's and our launcher, our program by reference's and our launcher; 1 is right
    "11 11": (),
    "11 10": (_BETWEEN,),
    "11 01": (_BETWEEN,),
    "11 00": (_KERNEL,),
    "10 11": (_BETWEEN,),
    "10 10": (_HOST,),
    "10 01": (_BETWEEN,),
    "10 00": (_KERNEL, _HOST),
    "01 11": (_BETWEEN,),
    "01 10": (_BETWEEN,),
    "01 01": (_THEIR_HOST,),
    "01 00": (_KERNEL, _THEIR_HOST),
    "00 11": (_THEIR_KERNEL,),
    "00 10": (_HOST, _THEIR_KERNEL),
    "00 01": (_THEIR_KERNEL, _THEIR_HOST),
    "00 00": (Owner.REFERENCE_OR_ORACLE,),
}


class Answer(StrEnum):
    """OWNED: the table names an owner. UNDECIDED: cells are missing, and the rows that fit name different ones. FLAKY:
    a cell varies from launch to launch, and no row is read.
    """

    NOT_REPRODUCED = "NOT REPRODUCED"
    OWNED = "OWNED"
    UNDECIDED = "UNDECIDED"
    FLAKY = "FLAKY"


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer. `owners`: all of them together; of UNDECIDED one of `candidates`, where none stands for no fault."""

    answer: Answer
    owners: tuple[Owner, ...]
    sentence: str
    candidates: tuple[tuple[Owner, ...], ...] = ()


_MEANING = {
    Owner.KERNEL: "our program is not right with either launcher",
    Owner.HOST: "our launcher is not right with either program",
    Owner.INTERACTION: "each part is right in other company, so look at what they agree upon: the parameters",
    Owner.REFERENCE_KERNEL: "the reference's program is not right with either launcher",
    Owner.REFERENCE_HOST: "the reference's launcher is not right with either program",
    Owner.REFERENCE_OR_ORACLE: "nothing is right, so look at the oracle and the reference first",
}


def decide(states: Mapping[Cell, State]) -> Decision:
    """Who owns the fault, by the table; a cell that is not known stands for both of its values."""
    varying = [str(cell) for cell in CELLS if states[cell] is State.VARIES]
    if varying:
        return Decision(Answer.FLAKY, (), f"launches on the same bytes leave other numbers: {'; '.join(varying)}")
    candidates = _candidates([states[cell] for cell in CELLS])
    if len(candidates) > 1:
        names = " | ".join(" and ".join(one) if one else "no fault" for one in candidates)
        unknown = "; ".join(f"{cell}: {states[cell]}" for cell in CELLS if states[cell].is_bad is None)
        return Decision(Answer.UNDECIDED, (), f"{names}: cells are missing ({unknown})", candidates)
    owners = next(iter(candidates))
    if not owners:
        return Decision(Answer.NOT_REPRODUCED, (), "all four combinations are right: the fault is not reproduced")
    reasons = "; ".join(_MEANING[owner] for owner in owners)
    return Decision(Answer.OWNED, owners, reasons + _kinds(states), candidates)


def _candidates(states: Sequence[State]) -> tuple[tuple[Owner, ...], ...]:
    """The owners of all rows that fit, each once, in the order of the table."""
    digits = [("1", "0") if state.is_bad is None else ("0" if state.is_bad else "1",) for state in states]
    fitting = {f"{a}{b} {c}{d}" for a, b, c, d in product(*digits)}
    return tuple(dict.fromkeys(owners for row, owners in TABLE.items() if row in fitting))


def _kinds(states: Mapping[Cell, State]) -> str:
    """Wrong numbers and errors are told apart."""
    errors = [f"{cell}: {states[cell]}" for cell in CELLS if states[cell].is_bad and states[cell] is not State.WRONG]
    return f" (no numbers: {'; '.join(errors)})" if errors else ""
