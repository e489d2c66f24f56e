"""Facts that a program needs of a launch besides its specialization: read once, checked before each launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ferrotile import bundle, host
from ferrotile.backend.arguments import ArrayGiven, Passed
from ferrotile.core import Unsupported

NUMBERS = range(-(2**31), 2**31)
"""What a kernel reads in 32 bits; indices and extents are such numbers."""


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """Claims on the grid, arrays and scalars, which are numbered as in the parameter map.

    `arrays`: their names in the text, by number; none where the text takes some of them apart.
    """

    kernel: str
    claims: tuple[host.Relation, ...]
    arrays: tuple[str, ...]

    @staticmethod
    def of(proof: bundle.Proof, sentences: tuple[str, ...]) -> LaunchFacts:
        """Raises: FT609 a sentence that no check is made of."""
        roles = proof.parameters.lowered if proof.parameters else ()
        specs = (proof.specialization or {}).get("specs", ())
        ranks = {f"array({role.array})": 0 for role in roles if role.kind == "pointer"}
        for role in roles:
            if role.axis is not None:
                ranks[f"array({role.array})"] = max(role.axis + 1, ranks.get(f"array({role.array})", 0))
        arrays: tuple[str, ...] = ()
        if len(specs) == len(ranks):
            arrays = tuple(name for name, _ in specs)
            ranks = {name: len(spec["shape_div"]) for name, spec in specs}
        facts: dict[str, host.Facts] = {
            name: host.ArrayFacts("", (host.AxisFacts(),) * rank) for name, rank in ranks.items()
        }
        facts |= {f"scalar({role.index})": host.ScalarFacts("i32") for role in roles if role.kind == "scalar"}
        return LaunchFacts(proof.kernel, host.relations_of(sentences, facts, arrays), arrays)

    def require(self, grid: Sequence[int], given: Passed) -> None:
        """Raises: FT627 for the first claim that does not hold, or is of a number that the kernel reads as another."""
        for claim in self.claims:
            if not _holds(claim, self._total(claim, grid, given)):
                raise Unsupported("FT627", f"`{self.kernel}` needs `{claim.text}` of its launch")

    def _total(self, claim: host.Relation, grid: Sequence[int], given: Passed) -> int:
        total = 0
        for times, factors in claim.terms:
            numbers = [self._value(factor.slot, grid, given) for factor in factors]
            if strange := [number for number in numbers if number not in NUMBERS]:
                said = f"`{self.kernel}` needs `{claim.text}` of its launch, and `{strange[0]}` is none of 32 bits"
                raise Unsupported("FT627", said)
            tiles = (-(-number // factor.per) for number, factor in zip(numbers, factors, strict=True))
            total += times * math.prod(tiles)
        return total

    def _value(self, slot: host.Slot, grid: Sequence[int], given: Passed) -> int:
        axis = slot.axis or 0
        if slot.part == "Grid":
            return grid[axis] if axis < len(grid) else 1
        if slot.part == "Scalar":
            return int(given.scalars[_numbered(slot.argument)])
        number = self.arrays.index(slot.argument) if self.arrays else _numbered(slot.argument)
        array: ArrayGiven = given.arrays[number]
        return (array.shape if slot.part == "Extent" else array.strides)[axis]


def _numbered(name: str) -> int:
    """The number in `scalar(2)`."""
    return int(name[name.index("(") + 1 : -1])


def _holds(claim: host.Relation, total: int) -> bool:
    match claim.claim:
        case "Zero":
            return total == 0
        case "NotZero":
            return total != 0
        case "Positive":
            return total > 0
        case "DivisibleBy":
            return total % claim.divisor == 0
    raise AssertionError(claim.claim)
