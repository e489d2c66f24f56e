"""The address space of a launch: allocations at made-up addresses, far apart, so that no slip reaches the next."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ferrotile.ir.formats import Array

FIRST_ADDRESS = 0x7F00_0000_0000
GAP = 1 << 24


@dataclass
class Allocation:
    """Bytes at an address. `granule` is the size of the elements by which reads and writes are recorded.

    `undetermined` has for each granule the origin of its poison; `writer`, `first_reader` and `last_reader` the
    number of an access (0: none). They exist once something needs them. `elements` tells granules of the array from
    what lies between and behind them (`None`: all are elements). `released` has for blocks that released here the
    number of the last access that the release covers.
    """

    name: str
    base: int
    data: Array
    granule: int
    undetermined: Array | None = None
    writer: Array | None = None
    first_reader: Array | None = None
    last_reader: Array | None = None
    elements: Array | None = None
    released: dict[int, int] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """The first address behind."""
        return self.base + self.data.size

    @property
    def granule_count(self) -> int:
        """Granules, a last partial one included."""
        return -(-self.data.size // self.granule)

    def granules(self, offsets: Array, size: int) -> Array:
        """The granules of accesses: one an access, or a row of them where an access has several."""
        if size <= self.granule:
            return offsets // self.granule
        return (offsets[:, None] + np.arange(0, size, self.granule)) // self.granule

    def read(self, offsets: Array, dtype: np.dtype[Any]) -> Array:
        """The numbers at these byte offsets."""
        size = dtype.itemsize
        if size == 1 or not (offsets & (size - 1)).any():
            whole = self.data[: self.data.size // size * size].view(dtype)
            return whole[offsets // size]
        gathered = self.data[offsets[:, None] + np.arange(size)]
        return np.ascontiguousarray(gathered).view(dtype)[:, 0]

    def write(self, offsets: Array, values: Array) -> None:
        """Put numbers at these byte offsets; of several at one place the last stays."""
        size = values.dtype.itemsize
        if size == 1 or not (offsets & (size - 1)).any():
            whole = self.data[: self.data.size // size * size].view(values.dtype)
            whole[offsets // size] = values
            return
        self.data[offsets[:, None] + np.arange(size)] = np.ascontiguousarray(values).view(np.uint8).reshape(-1, size)

    def origins(self, offsets: Array, size: int) -> Array | None:
        """The origins of undetermined elements among these."""
        if self.undetermined is None:
            return None
        found = self.undetermined[self.granules(offsets, size)]
        return found.max(axis=1) if found.ndim == 2 else found

    def mark(self, offsets: Array, size: int, origin: Array | None) -> None:
        """Remember which elements are undetermined after a write."""
        if origin is None and self.undetermined is None:
            return
        if self.undetermined is None:
            self.undetermined = np.zeros(self.granule_count, np.int32)
        where = self.granules(offsets, size)
        if origin is None:
            self.undetermined[where] = 0
        else:
            self.undetermined[where] = origin[:, None] if where.ndim == 2 else origin


class Part:
    """Accesses that fall into one allocation: which lanes (`None`: all) and at which byte offsets."""

    __slots__ = ("allocation", "lanes", "offsets")

    def __init__(self, allocation: Allocation, lanes: Array | None, offsets: Array) -> None:
        self.allocation = allocation
        self.lanes = lanes
        self.offsets = offsets


class Memory:
    """All allocations of a launch."""

    def __init__(self) -> None:
        self.allocations: list[Allocation] = []
        self._bases: list[int] = []
        self._next = FIRST_ADDRESS

    def place(self, name: str, data: Array, granule: int = 1, alignment: int = 256, shift: int = 0) -> Allocation:
        """Give bytes an address: a multiple of `alignment`, plus `shift`."""
        base = -(-self._next // alignment) * alignment + shift
        self._next = base + data.size + GAP
        made = Allocation(name, base, data, max(granule, 1))
        self.allocations.append(made)
        self._bases.append(base)
        return made

    def parts(self, addresses: Array, size: int) -> Iterator[Part]:
        """Sort addresses (a row) by allocation; those outside of all are left out."""
        if not addresses.size:
            return
        low, high = int(addresses.min()), int(addresses.max())
        number = bisect_right(self._bases, low) - 1
        if number >= 0 and high + size <= self.allocations[number].end:
            found = self.allocations[number]
            yield Part(found, None, addresses - found.base)
            return
        numbers = np.searchsorted(np.asarray(self._bases, np.int64), addresses, "right") - 1
        for number in np.unique(numbers[numbers >= 0]):
            found = self.allocations[int(number)]
            lanes = np.flatnonzero((numbers == number) & (addresses + size <= found.end))
            if lanes.size:
                yield Part(found, lanes, addresses[lanes] - found.base)

    def nearest(self, address: int) -> tuple[str, int | None]:
        """The allocation before an address, and how far behind its start the address lies, in its elements."""
        number = bisect_right(self._bases, address) - 1
        if number < 0:
            return "", None
        found = self.allocations[number]
        return found.name, (address - found.base) // found.granule
