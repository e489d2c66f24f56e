"""How to ask an operation for its parts by name, and the base class of all operations."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Block, Operation, SSAValue

from ferrotile.ir.attributes import AttributeValue
from ferrotile.ir.spec import Arity, Effect, OpRow
from ferrotile.ir.types import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
)

VIEWS = (TensorViewType, PartitionViewType, StridedViewType, GatherScatterViewType)

SEGMENTS = "operandSegmentSizes"
"""The property that says how many values each operand name has, where that is not clear from their number."""


class TileOperation(Operation):
    """Base of all operations of Tile IR."""

    row: ClassVar[OpRow]

    def verify_(self) -> None:
        """Checked by `ferrotile.ir.verify`, from the row."""


@cache
def segments_of(sizes: tuple[int, ...]) -> DenseArrayBase:
    """The segment property for these sizes."""
    return cast(DenseArrayBase, DenseArrayBase.from_list(i32, sizes))


_SMALL: dict[object, AttributeValue] = {}


def wrap(value: object) -> AttributeValue:
    """Carry a Python value as an xDSL attribute; enums and bools share one object a value."""
    if not isinstance(value, Enum | bool):
        return AttributeValue(value)
    known = _SMALL.get(value)
    if known is None:
        known = _SMALL[value] = AttributeValue(value)
    return known


def row(op: Operation) -> OpRow:
    """The row of an operation.

    Raises: AttributeError for an operation that is not of Tile IR.
    """
    return cast(TileOperation, op).row


def attribute(op: Operation, name: str) -> Any:
    """The Python value of an attribute; `None` if it is optional and absent."""
    value = op.properties.get(name) or op.attributes.get(name)
    if value is None:
        if name not in row(op).field:
            raise KeyError(f"`{op.name}` has no attribute `{name}`")
        return None
    return cast(AttributeValue, value).data


def operand(op: Operation, name: str) -> SSAValue | None:
    """The value of a single operand; `None` if it is optional and absent."""
    start, size = span(op, name)
    return op.operands[start] if size else None


def operands(op: Operation, name: str) -> tuple[SSAValue, ...]:
    """The values of an operand name, any number of them."""
    start, size = span(op, name)
    return tuple(op.operands[start + i] for i in range(size))


def span(op: Operation, name: str) -> tuple[int, int]:
    """Where the values of an operand name stand: first position and number."""
    start = 0
    for slot, size in zip(row(op).operands, sizes(op), strict=True):
        if slot.name == name:
            return start, size
        start += size
    raise KeyError(f"`{op.name}` has no operand `{name}`")


def sizes(op: Operation) -> tuple[int, ...]:
    """The number of values of each operand name, in the order of the row."""
    spec = row(op)
    if spec.has_segments:
        return cast(Any, op.properties[SEGMENTS]).get_values()
    rest = len(op._operands) - len(spec.operands)  # pyright: ignore[reportPrivateUsage]
    return tuple(1 if slot.arity is Arity.ONE else rest + 1 for slot in spec.operands)


def result(op: Operation, name: str) -> SSAValue:
    """The result with this name; for a result name that stands for many, the first."""
    names = [slot.name for slot in row(op).results]
    return op.results[names.index(name)]


def leaving(block: Block) -> Iterator[SSAValue]:
    """What leaves a block, or the blocks in it, to become a result or a carried value."""
    for op in block.walk():
        if row(op).effect is Effect.CONTROL and not op.regions:
            yield from op.operands


def is_address(value: SSAValue) -> bool:
    """Whether memory is reached by a value: a tile of pointers, or a view."""
    type_ = value.type
    return isinstance(type_, VIEWS) or (isinstance(type_, TileType) and isinstance(type_.element, PointerType))
