"""What a run found wrong: one record a kind and place, and the log that collects them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.core import Place

Block = tuple[int, int, int]

KINDS = {
    "write-write": "two blocks, or two lanes of one store, write the same element",
    "race": "a block reads what another block writes, with nothing that orders the two",
    "out-of-bounds": "an access outside every allocation",
    "view-index": "a tile whose index lies outside the index space of its view",
    "read-before-write": "a read of memory that nothing has written",
    "misaligned": "an access at an address that is no multiple of the element's size",
    "assume": "an `assume`, or a promise of an operation, that does not hold",
    "assert": "an `assert` that fails",
    "poison-store": "an undetermined value is stored",
    "poison-branch": "a branch or loop bound depends on an undetermined value",
    "poison-address": "an address, index or mask depends on an undetermined value",
}
"""Kinds of findings."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, at the place of one operation.

    `other` is the place of the other access, or where the undetermined value came from. `block`, `array` and `index`
    (in elements from the array's start) are of the first of `count` elements.
    """

    kind: str
    sentence: str
    place: Place | None
    other: Place | None
    block: Block
    array: str
    index: int | None
    count: int

    def __str__(self) -> str:
        where = f" at {self.place}" if self.place else ""
        also = f"; see {self.other}" if self.other else ""
        return f"{self.kind}: {self.sentence}{where} in block {self.block}, {self.count} times{also}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an undetermined value came from; `reads_memory` when it was read from memory that nothing has written."""

    why: str
    op: Operation | None
    reads_memory: bool = False

    @property
    def place(self) -> Place | None:
        """The place of the operation."""
        return ir.place(self.op) if self.op is not None else None


@dataclass(slots=True)
class _Entry:
    finding: Finding
    count: int


@dataclass
class Log:
    """Collects findings and the origins of undetermined values, each under a number from 1."""

    origins: list[Origin] = field(default_factory=lambda: [Origin("", None)])
    _numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    _entries: dict[tuple[Any, ...], _Entry] = field(default_factory=dict)

    def origin(self, why: str, op: Operation | None, *, reads_memory: bool = False) -> int:
        """The number of an origin; the same for the same operation and reason."""
        key = (why, id(op))
        if key not in self._numbers:
            self._numbers[key] = len(self.origins)
            self.origins.append(Origin(why, op, reads_memory))
        return self._numbers[key]

    def add(
        self,
        kind: str,
        sentence: str,
        op: Operation | None,
        block: Block,
        *,
        other: Operation | None = None,
        array: str = "",
        index: int | None = None,
        count: int = 1,
    ) -> None:
        """Report something; later reports of the same kind, operations and array are only counted."""
        assert kind in KINDS
        key = (kind, id(op), id(other), array)
        if key in self._entries:
            self._entries[key].count += count
            return
        place = ir.place(op) if op is not None else None
        also = ir.place(other) if other is not None else None
        self._entries[key] = _Entry(Finding(kind, sentence, place, also, block, array, index, 0), count)

    def poison(self, kind: str, what: str, origins: Any, op: Operation, block: Block, array: str = "") -> None:
        """Report what depends on undetermined values, whose origins are given by number (0: determined)."""
        for number in np.unique(origins):
            if number:
                origin = self.origins[int(number)]
                count = int(np.count_nonzero(np.asarray(origins) == number))
                sentence = f"{what} is undetermined: {origin.why}"
                self.add(kind, sentence, op, block, other=origin.op, array=array, count=count)

    def findings(self) -> tuple[Finding, ...]:
        """Everything reported, in the order of first sight."""
        found: list[Finding] = []
        for entry in self._entries.values():
            one = entry.finding
            found.append(
                Finding(one.kind, one.sentence, one.place, one.other, one.block, one.array, one.index, entry.count)
            )
        return tuple(found)
