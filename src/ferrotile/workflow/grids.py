"""Recorded launches as the fit of grid rules takes them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ferrotile import capture, host
from ferrotile.bundle import Like
from ferrotile.capture.index import ArrayArgument, Exported, Launch, ValueArgument
from ferrotile.workflow.benching import ELEMENTS


def observed(index: capture.Index, kernel: host.Kernel) -> tuple[host.Observed, ...]:
    """The launches of a kernel, arguments by their names; those with lists or tuples of arguments are left out."""
    names = tuple(kernel.variants[0].facts)
    return launches_of(index, kernel.name, names)


def launches_of(index: capture.Index, kernel: str, names: Sequence[str]) -> tuple[host.Observed, ...]:
    """The launches of a kernel of that name; `names`: of its arguments, in Python's order."""
    rows = [one for one in index.exported if one.kernel.rpartition(".")[2] == kernel]
    return tuple(
        made for one in rows for launch in one.launches if (made := _observed(one, launch, names, index)) is not None
    )


def _observed(one: Exported, launch: Launch, names: Sequence[str], index: capture.Index) -> host.Observed | None:
    if len(launch.arguments) != len(names) or len(one.parameters) != len(names):
        return None
    extents: dict[str, tuple[int, ...]] = {}
    numbers: dict[str, int] = {}
    for name, argument in zip(names, launch.arguments, strict=True):
        match argument:
            case ArrayArgument():
                extents[name] = argument.shape
            case ValueArgument(value=bool()):
                pass
            case ValueArgument(value=int(value)):
                numbers[name] = value
    x, y, z = (*launch.grid, 1, 1)[:3]
    return host.Observed(extents, numbers, (x, y, z), index.multiprocessors)


def fitting(index: capture.Index, variant: host.Variant) -> list[tuple[tuple[int, int, int], Like]]:
    """The grid of each launch that a specialization could have answered, with its extents and numbers."""
    found: list[tuple[tuple[int, int, int], Like]] = []
    for one in index.exported:
        if one.kernel.rpartition(".")[2] != variant.kernel:
            continue
        for launch in one.launches:
            pairs = list(zip(variant.facts.values(), launch.arguments, strict=False))
            if len(pairs) == len(launch.arguments) == len(variant.facts) and all(_fits(*pair) for pair in pairs):
                x, y, z = (*launch.grid, 1, 1)[:3]
                found.append(((x, y, z), [_like(given) for facts, given in pairs if _is_passed(facts)]))
    return found


def _is_passed(facts: object) -> bool:
    return not isinstance(facts, host.ConstantFacts)


def _like(given: object) -> tuple[int, ...] | int | float:
    if isinstance(given, ArrayArgument):
        return given.shape
    assert isinstance(given, ValueArgument) and isinstance(given.value, int | float)
    return given.value


def _fits(facts: object, given: object) -> bool:
    """Whether a specialization takes an argument; arrays that are not row-major are not recorded."""
    match facts:
        case host.ConstantFacts(value):
            return isinstance(given, ValueArgument) and given.value == value
        case host.ArrayFacts():
            return isinstance(given, ArrayArgument) and _array_fits(facts, given)
    return _is_number(given)


def _is_number(given: object) -> bool:
    return isinstance(given, ValueArgument) and isinstance(given.value, int | float)


def _array_fits(facts: host.ArrayFacts, given: ArrayArgument) -> bool:
    row_major = tuple(math.prod(given.shape[axis + 1 :]) for axis in range(len(given.shape)))
    if len(facts.axes) != len(given.shape) or ELEMENTS.get(given.dtype) != facts.dtype or given.strides != row_major:
        return False
    return all(
        axis.extent in (None, extent) and axis.stride in (None, stride)
        and extent % axis.extent_divisor == stride % axis.stride_divisor == 0
        for axis, extent, stride in zip(facts.axes, given.shape, given.strides, strict=True)
    )  # fmt: skip
