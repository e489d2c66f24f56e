"""What a launch left against what is right: the first number that is too far off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ferrotile.ir.formats import Array as Numbers
from ferrotile.transplant.case import CaseArray, Near

EXACT = Near()


def difference(
    arrays: Sequence[CaseArray], tolerances: Mapping[str, Near], wanted: Sequence[bytes], found: Sequence[bytes]
) -> str | None:
    """The first array with numbers that are too far off, in words; None: all are near enough. NaN is near NaN.

    Memory between the rows of an array belongs to it: nothing may be left there.
    """
    for array, right, left in zip(arrays, wanted, found, strict=True):
        if right == left:
            continue
        bad = np.flatnonzero(~_is_near(array.numbers(left), array.numbers(right), tolerances.get(array.dtype, EXACT)))
        if bad.size:
            first = int(bad[0])
            numbers = f"`{array.numbers(left)[first]}` instead of `{array.numbers(right)[first]}`"
            return f"`{array.name}`: {bad.size} of {array.count} elements, {_place(array, first)} is {numbers}"
    return None


def _is_near(found: Numbers, wanted: Numbers, near: Near) -> Numbers:
    """Which numbers are near enough. Whole numbers and zero tolerances compare exactly, -0 being 0."""
    if found.dtype == np.bool_ or np.issubdtype(found.dtype, np.integer):
        return np.asarray(found == wanted)
    with np.errstate(all="ignore"):
        left, right = found.astype(np.float64), wanted.astype(np.float64)
        is_close = np.abs(left - right) <= near.atol + near.rtol * np.abs(right)
        return np.asarray((left == right) | (np.isnan(left) & np.isnan(right)) | (is_close & np.isfinite(right)))


def _place(array: CaseArray, flat: int) -> str:
    """Where an element lies, by its place from the first one."""
    rest, index = flat, [0] * len(array.shape)
    for axis in sorted(range(len(array.shape)), key=lambda axis: -array.strides[axis]):
        if array.strides[axis]:
            index[axis] = min(rest // array.strides[axis], array.shape[axis] - 1)
            rest -= index[axis] * array.strides[axis]
    return f"{index}" if rest == 0 else f"memory behind {index}"
