"""Accesses of different blocks to the same element: who wrote it, who read it, and what orders them.

Blocks run one after the other here; that another order could give another result is seen from the records alone.
A block that acquires from an array knows all that was done before the releases to that array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.core import Place
from ferrotile.interp.finding import Block, Log
from ferrotile.interp.memory import Allocation
from ferrotile.ir.formats import Array


@dataclass(frozen=True, slots=True)
class Access:
    """What one operation reached at one time: intervals of elements, ends not included, in rising order."""

    block: Block
    is_write: bool
    array: str
    intervals: tuple[tuple[int, int], ...]
    place: Place | None


def intervals(elements: Array) -> tuple[tuple[int, int], ...]:
    """Numbers as intervals without their ends.

    Example:
        >>> intervals(np.array([4, 0, 1, 1, 5]))
        ((0, 2), (4, 6))
    """
    ordered = np.unique(elements)
    breaks = np.flatnonzero(np.diff(ordered) != 1) + 1
    runs = np.split(ordered, breaks) if ordered.size else []
    return tuple((int(run[0]), int(run[-1]) + 1) for run in runs)


def _learn(known: dict[int, int], more: dict[int, int]) -> None:
    """Keep for each block the later of two numbers."""
    for block, number in more.items():
        known[block] = max(known.get(block, 0), number)


class Races:
    """Records of accesses, numbered from 1: the block, the operation, and whether it was atomic."""

    def __init__(self, log: Log, *, enabled: bool, record: bool = False) -> None:
        self.log = log
        self.enabled = enabled
        self.record = record
        self.accesses: list[Access] = []
        self.block = 0
        self.coordinates: Block = (0, 0, 0)
        self.known: dict[int, int] = {}
        self._epoch = 0
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._block_of = np.zeros(256, np.int32)
        self._is_atomic = np.zeros(256, np.bool_)
        self._op_of: list[Operation | None] = [None]

    @property
    def is_idle(self) -> bool:
        """Whether accesses are neither compared nor recorded."""
        return not (self.enabled or self.record)

    def start(self, block: int, coordinates: Block) -> None:
        """The next block runs."""
        self.block, self.coordinates, self.known = block, coordinates, {}

    def _access(self, op: Operation, *, atomic: bool) -> int:
        key = (self.block, self._epoch, id(op))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._op_of)
            self._op_of.append(op)
            if number == self._block_of.size:
                self._block_of = np.concatenate((self._block_of, np.zeros_like(self._block_of)))
                self._is_atomic = np.concatenate((self._is_atomic, np.zeros_like(self._is_atomic)))
            self._block_of[number] = self.block
            self._is_atomic[number] = atomic
        return number

    def read(self, allocation: Allocation, where: Array, op: Operation, *, atomic: bool = False) -> None:
        """A block reads granules."""
        self._note(allocation, where, op, is_write=False)
        if not self.enabled:
            return
        number = self._access(op, atomic=atomic)
        if allocation.writer is not None:
            self._report("race", "reads what block {} wrote", allocation, where, allocation.writer, op, atomic=atomic)
        if allocation.first_reader is None or allocation.last_reader is None:
            allocation.first_reader = np.zeros(allocation.granule_count, np.int32)
            allocation.last_reader = np.zeros(allocation.granule_count, np.int32)
        first = allocation.first_reader[where]
        allocation.first_reader[where] = np.where(first == 0, number, first)
        allocation.last_reader[where] = number

    def write(self, allocation: Allocation, where: Array, op: Operation, *, atomic: bool = False) -> None:
        """A block writes granules."""
        self._note(allocation, where, op, is_write=True)
        if not self.enabled:
            return
        number = self._access(op, atomic=atomic)
        if allocation.writer is None:
            allocation.writer = np.zeros(allocation.granule_count, np.int32)
        said = "writes what block {} wrote"
        self._report("write-write", said, allocation, where, allocation.writer, op, atomic=atomic)
        for reader in (allocation.first_reader, allocation.last_reader):
            if reader is not None:
                self._report("race", "writes what block {} read", allocation, where, reader, op, atomic=atomic)
        allocation.writer[where] = number

    def _note(self, allocation: Allocation, where: Array, op: Operation, *, is_write: bool) -> None:
        if self.record:
            place = ir.place(op)
            self.accesses.append(Access(self.coordinates, is_write, allocation.name, intervals(where), place))

    def acquire(self, allocation: Allocation) -> None:
        """This block sees what was done before the releases to an array."""
        _learn(self.known, allocation.released)

    def release(self, allocation: Allocation) -> None:
        """What this block did so far is seen by those who acquire from the array."""
        _learn(allocation.released, {**self.known, self.block: len(self._op_of) - 1})
        self._epoch += 1

    def _report(
        self, kind: str, said: str, allocation: Allocation, where: Array, seen: Array, op: Operation, *, atomic: bool
    ) -> None:
        others = seen[where]
        bad = (others > 0) & (self._block_of[others] != self.block)
        if atomic:
            bad &= ~self._is_atomic[others]
        if self.known and bad.any():
            limits = np.zeros(int(self._block_of.max()) + 1, np.int32)
            limits[list(self.known)] = list(self.known.values())
            bad &= others > limits[self._block_of[others]]
        if not bad.any():
            return
        first = tuple(np.argwhere(bad)[0])
        other = int(others[first])
        self.log.add(
            kind,
            f"`{op.name}` {said.format(int(self._block_of[other]))}",
            op,
            self.coordinates,
            other=self._op_of[other],
            array=allocation.name,
            index=int(np.asarray(where)[first]),
            count=int(bad.sum()),
        )
