"""How many: tiles of an extent, blocks of the grid, and products of these; and the facts that put one below another.

Counts are compared as facts of a launch, in sentences: `128 * grid.x <= array(1).shape[0] + 127`. Common factors are
left out on both sides, since none is negative: that of numbers that are arguments is a fact by itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ferrotile.check.launch import AXES
from ferrotile.core import Role

LARGEST = 2**31 - 1


class Unproved(Exception):
    """The reason is the text; never leaves `prove_exclusive`."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """How many tiles of `size` an extent has, rounded up; `of` is that of an array, an argument, or a number.

    `is_sum`: computed as `(of + size - 1) / size`, which is right while the sum fits.
    """

    of: Role | int
    size: int = 1
    is_sum: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.extent if self.size == 1 else f"ceil({self.extent} / {self.size})"

    @property
    def extent(self) -> str:
        """What is cut into tiles."""
        match self.of:
            case Role(kind="shape", array=array, axis=axis):
                return f"array({array}).shape[{axis}]"
            case Role(index=index):
                return f"scalar({index})"
            case number:
                return str(number)

    @property
    def number(self) -> int | None:
        """How many, where that is known."""
        return -(-self.of // self.size) if isinstance(self.of, int) else None

    @property
    def most(self) -> int:
        """More there cannot be."""
        return -(-LARGEST // self.size) if self.number is None else self.number

    def facts(self) -> Iterator[str]:
        """What must be said of the extent for the count to be right, and not negative."""
        if isinstance(self.of, Role) and self.of.kind == "scalar":
            yield f"{self.extent} >= 0"
        if self.is_sum and self.size > 1:
            yield f"{self.extent} <= {LARGEST - self.size + 1}"


@dataclass(frozen=True, slots=True)
class Blocks:
    """How many blocks the grid has along an axis."""

    axis: int

    def __str__(self) -> str:
        return f"grid.{AXES[self.axis]}"


Factor = Tiles | Blocks


@dataclass(frozen=True, slots=True)
class Count:
    """A product of a number and factors, which are in the order of their names."""

    times: int
    factors: tuple[Factor, ...] = ()

    @staticmethod
    def of(*factors: Factor) -> Count:
        """The product of factors."""
        return Count(1, tuple(sorted(factors, key=str)))

    def __mul__(self, other: Count) -> Count:
        return Count(self.times * other.times, tuple(sorted((*self.factors, *other.factors), key=str)))

    @property
    def folded(self) -> Count:
        """The same with one number for all factors that are known."""
        known = [one.number for one in self.factors if isinstance(one, Tiles) and one.number is not None]
        unknown = [one for one in self.factors if not isinstance(one, Tiles) or one.number is None]
        return Count(self.times * math.prod(known), tuple(unknown))

    def __str__(self) -> str:
        number = [str(self.times)] if self.times != 1 or not self.factors else []
        return " * ".join([*number, *map(str, self.factors)])

    @property
    def most(self) -> int:
        """More there cannot be."""
        return self.times * math.prod(LARGEST if isinstance(one, Blocks) else one.most for one in self.factors)

    def facts(self) -> Iterator[str]:
        """What must hold for the count to be right, and not negative."""
        for one in self.factors:
            if isinstance(one, Tiles):
                yield from one.facts()


def at_most(count: Count, limit: Count) -> Iterator[str]:
    """The facts from which `count <= limit` follows. Raises: Unproved where it does not hold, or is not known to."""
    common = Counter(count.factors) & Counter(limit.factors)
    count, limit = _without(count, common).folded, _without(limit, common)
    shared = math.gcd(count.times, limit.times) or 1
    count, limit = Count(count.times // shared, count.factors), Count(limit.times // shared, limit.factors)
    if limit.times == 1 and len(limit.factors) == 1 and isinstance(tiles := limit.factors[0], Tiles):
        yield from _fits(count, tiles)
    elif not count.factors and not limit.folded.factors:
        if count.times > limit.folded.times:
            raise Unproved(f"there are {count} where {limit.folded} are")
    else:
        yield f"{count} <= {limit.folded}"


def _fits(count: Count, tiles: Tiles) -> Iterator[str]:
    """The same for the tiles of one extent, which may be a number."""
    if not count.factors:
        if tiles.number is None:
            yield f"{tiles.extent} > {(count.times - 1) * tiles.size}"
        elif count.times > tiles.number:
            raise Unproved("a tile begins outside its array")
        return
    if count.times == 1 and len(count.factors) == 1 and isinstance(counted := count.factors[0], Tiles):
        if counted.of == tiles.of and counted.size < tiles.size:
            raise Unproved("an array has larger tiles than those that are counted")
        if counted.size >= tiles.size:
            if counted.of != tiles.of:
                yield f"{counted.extent} <= {tiles.extent}"
            return
    scaled = Count(count.times * tiles.size, count.factors)
    yield f"{scaled} <= {tiles.extent}" if tiles.size == 1 else f"{scaled} <= {tiles.extent} + {tiles.size - 1}"


def _without(count: Count, common: Counter[Factor]) -> Count:
    return Count(count.times, tuple(sorted((Counter(count.factors) - common).elements(), key=str)))
