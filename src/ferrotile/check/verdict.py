"""The answer of check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ferrotile.core import Place, VerdictKind

Difference = Literal[
    "attribute",
    "bound",
    "constant",
    "divisibility",
    "entry",
    "hint",
    "operand",
    "operation",
    "order",
    "padding",
    "type",
]
"""What kind of thing differs first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the lowered program is the reference, and how that was found.

    `sentence` says it in one sentence; for DIFFERS it names both sides' values, and the two places say where.
    `added` is what REFINES adds, `laws` are the named laws that were used, `assumptions` what must hold at launch.
    """

    kind: VerdictKind
    step: Literal["bytes", "graph"]
    sentence: str
    difference: Difference | None = None
    reference_place: Place | None = None
    lowered_place: Place | None = None
    laws: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the lowered program may stand for the reference."""
        return self.kind in (VerdictKind.EQUAL, VerdictKind.REFINES)
