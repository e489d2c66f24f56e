"""Facts that a program needs of a launch besides its specialization: read once, checked before each launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ferrotile import bundle, host
from ferrotile.backend.arguments import ArrayGiven, Passed
from ferrotile.core import Unsupported


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """Claims on the grid, arrays and scalars, which are numbered as in the parameter map."""

    kernel: str
    claims: tuple[host.Relation, ...]
    arrays: tuple[str, ...]

    @staticmethod
    def of(proof: bundle.Proof, sentences: tuple[str, ...]) -> LaunchFacts:
        """Raises: FT609 a sentence that no check is made of."""
        specs = (proof.specialization or {}).get("specs", ())
        arrays = tuple(name for name, _ in specs)
        facts: dict[str, host.Facts] = {
            name: host.ArrayFacts("", (host.AxisFacts(),) * len(spec["shape_div"])) for name, spec in specs
        }
        scalars = [role.index for role in proof.parameters.lowered if role.kind == "scalar"] if proof.parameters else []
        facts |= {f"scalar({number})": host.ScalarFacts("i32") for number in scalars}
        return LaunchFacts(proof.kernel, host.relations_of(sentences, facts, arrays), arrays)

    def require(self, grid: Sequence[int], given: Passed) -> None:
        """Raises: FT627 for the first claim that does not hold."""
        for claim in self.claims:
            total = sum(
                times * math.prod(-(-self._value(factor.slot, grid, given) // factor.per) for factor in factors)
                for times, factors in claim.terms
            )
            if not _holds(claim, total):
                raise Unsupported("FT627", f"`{self.kernel}` needs `{claim.text}` of its launch")

    def _value(self, slot: host.Slot, grid: Sequence[int], given: Passed) -> int:
        axis = slot.axis or 0
        if slot.part == "Grid":
            return grid[axis] if axis < len(grid) else 1
        if slot.part == "Scalar":
            return int(given.scalars[int(slot.argument.removeprefix("scalar(").removesuffix(")"))])
        array: ArrayGiven = given.arrays[self.arrays.index(slot.argument)]
        return (array.shape if slot.part == "Extent" else array.strides)[axis]


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
