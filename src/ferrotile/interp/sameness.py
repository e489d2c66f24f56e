"""Two modules that should be one program, run on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ferrotile import ir
from ferrotile.core.parameters import ParameterMap
from ferrotile.interp.arguments import Argument
from ferrotile.interp.launch import Options, Result, interpret
from ferrotile.ir.formats import Array


@dataclass(frozen=True, eq=False)
class Sameness:
    """Whether two runs left the same bits, and the first place where they did not: array and flat index.
    Arrays in lists are counted behind the others.

    Elements that are undetermined on the reference side may have any value on the other.
    """

    reference: Result
    lowered: Result
    differences: tuple[int, ...]
    first: tuple[int, int] | None

    @property
    def equal(self) -> bool:
        """Whether all arrays have the same bits."""
        return self.first is None

    def __str__(self) -> str:
        if self.first is None:
            return "the same bits"
        array, index = self.first
        return f"{self.differences[array]} elements of array {array} differ, first at {index}"


def same_results(
    reference: ir.Module,
    lowered: ir.Module,
    parameters: ParameterMap,
    inputs: Sequence[Argument],
    grid: Sequence[int],
    *,
    seed: int = 0,
    options: Options | None = None,
) -> Sameness:
    """Run both modules on the same inputs and compare all arrays bit for bit, NaNs included."""
    left = interpret(reference, inputs, grid, roles=parameters.reference, seed=seed, options=options)
    right = interpret(lowered, inputs, grid, roles=parameters.lowered, seed=seed, options=options)
    counts: list[int] = []
    first: tuple[int, int] | None = None
    for k, (a, undetermined, b) in enumerate(_pairs(left, right)):
        bad = np.flatnonzero(differs(a, b) & ~undetermined)
        counts.append(bad.size)
        if bad.size and first is None:
            first = (k, int(bad[0]))
    return Sameness(left, right, tuple(counts), first)


def _pairs(left: Result, right: Result) -> Iterator[tuple[Array, Array, Array]]:
    """Corresponding arrays, with what is undetermined of the left one: arguments, then the arrays in lists."""
    yield from zip(left.arrays, left.undetermined, right.arrays, strict=True)
    for (a, undetermined), (b, _) in zip(left.listed, right.listed, strict=True):
        yield a, undetermined, b


def differs(a: Array, b: Array) -> Array:
    """Where two arrays have different bits."""
    kind = f"u{a.dtype.itemsize}"
    return np.ascontiguousarray(a).view(kind).reshape(a.shape) != np.ascontiguousarray(b).view(kind).reshape(b.shape)
