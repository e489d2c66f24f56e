"""What a program takes for granted of its entry parameters: by `assume` operations, and by the types of its views."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue

from ferrotile import ir
from ferrotile.host.declaration import Slot
from ferrotile.ir.types import TensorViewType


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is taken for granted of one entry parameter: a divisor, that it is not negative, its value."""

    divisor: int = 1
    is_not_negative: bool = False
    value: int | None = None


def assumptions(entry: Operation, slots: Sequence[Slot]) -> list[Assumed]:
    """What a program assumes of each entry parameter, given which part of which argument each of them is."""
    arguments = entry.regions[0].block.args
    found: dict[SSAValue, Assumed] = {argument: Assumed() for argument in arguments}
    for op in entry.regions[0].block.ops:
        root = _root(op.results[0]) if ir.row(op).name == "assume" else None
        if root is None or root not in found:
            continue
        predicate, old = ir.attribute(op, "predicate"), found[root]
        if isinstance(predicate, ir.DivBy) and predicate.every is None:
            found[root] = replace(old, divisor=math.lcm(old.divisor, predicate.divisor))
        elif predicate == ir.Bounded(0, None):
            found[root] = replace(old, is_not_negative=True)
    for index, value in _fixed(entry, slots):
        found[arguments[index]] = replace(found[arguments[index]], value=value)
    return [found[argument] for argument in arguments]


def _fixed(entry: Operation, slots: Sequence[Slot]) -> Iterator[tuple[int, int]]:
    """Parameters that a view of a whole array has a number for, with the number: extents and strides compiled in."""
    arguments = entry.regions[0].block.args
    index_of = {slot: index for index, slot in enumerate(slots)}
    slot_of: dict[SSAValue, Slot] = dict(zip(arguments, slots, strict=True))
    for op in entry.walk():
        if ir.row(op).name != "make_tensor_view" or (base := ir.operand(op, "base")) is None:
            continue
        pointer, type_ = slot_of.get(_root(base)), op.results[0].type
        if pointer is None or pointer.part != "Pointer" or not isinstance(type_, TensorViewType):
            continue
        parts = [Slot("Extent", pointer.argument, axis) for axis in range(len(type_.shape))]
        parts += [Slot("Stride", pointer.argument, axis) for axis in range(len(type_.shape))]
        numbers = [*type_.shape, *type_.strides]
        given = [slot_of.get(_root(value)) for name in ("dynamicShape", "dynamicStrides")
                 for value in ir.operands(op, name)]  # fmt: skip
        if given == [part for part, number in zip(parts, numbers, strict=True) if number is None]:
            fixed = zip(parts, numbers, strict=True)
            yield from ((index_of[p], number) for p, number in fixed if number is not None and p in index_of)


def _root(value: SSAValue) -> SSAValue:
    """The value that assumptions were put on."""
    while isinstance(owner := value.owner, Operation) and ir.row(owner).name == "assume":
        value = owner.operands[0]
    return value
