"""What an index of a tile is: a block id, a number, or a counter that starts at a block id and goes on by whole grids.

A counter takes the numbers that leave the remainder of the block's id, so blocks have no number in common. How far it
goes is said by where it ends: `floor((s + n - 1) / n)` and `ceil(s / n)` are the tiles of `n` that an extent `s` has.
(A sum that is too large for 32 bits is negative, and the loop has no round.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.core import Role
from ferrotile.ir.enums import RoundingMode, Signedness
from ferrotile.ir.types import TileType


@dataclass(frozen=True, slots=True)
class BlockId:
    """The block's id along an axis of the grid."""

    axis: int


@dataclass(frozen=True, slots=True)
class Number:
    """The same in every block."""

    value: int


@dataclass(frozen=True, slots=True)
class Tiles:
    """How many tiles of `size` an extent of an array has."""

    array: int
    axis: int
    size: int


@dataclass(frozen=True, slots=True)
class Counter:
    """From the block id along `axis`, below `end`, by the blocks along that axis, or by `step`."""

    axis: int
    step: int | None
    end: int | Tiles


Index = BlockId | Number | Counter


def index_of(value: SSAValue, role_of: Mapping[SSAValue, Role]) -> Index | None:
    """What a value is; None for anything else."""
    value = unassumed(value)
    if (number := _number(value)) is not None:
        return Number(number)
    if (axis := _result_of(value, "get_tile_block_id")) is not None:
        return BlockId(axis)
    return _counter(value, role_of)


def unassumed(value: SSAValue) -> SSAValue:
    """The value that assumptions were put on."""
    while isinstance(op := value.owner, Operation) and ir.row(op).name == "assume":
        value = op.operands[0]
    return value


def _counter(value: SSAValue, role_of: Mapping[SSAValue, Role]) -> Counter | None:
    loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if loop is None or ir.row(loop).name != "for" or value.index != 0 or ir.attribute(loop, "unsignedCmp"):  # pyright: ignore[reportAttributeAccessIssue]
        return None
    start, end, step = (unassumed(_operand(loop, name)) for name in ("lowerBound", "upperBound", "step"))
    axis = _result_of(start, "get_tile_block_id")
    stop = _number(end)
    tiles = _tiles(end, role_of) if stop is None else stop
    if axis is None or tiles is None:
        return None
    if _result_of(step, "get_num_tile_blocks") == axis:
        return Counter(axis, None, tiles)
    number = _number(step)
    return None if number is None or number < 1 else Counter(axis, number, tiles)


def _tiles(value: SSAValue, role_of: Mapping[SSAValue, Role]) -> Tiles | None:
    role = role_of.get(value)
    if role is not None and role.kind == "shape" and role.array is not None and role.axis is not None:
        return Tiles(role.array, role.axis, 1)
    op = value.owner
    if not isinstance(op, Operation) or ir.row(op).name != "divi":
        return None
    size = _number(unassumed(_operand(op, "rhs")))
    rounding, is_signed = ir.attribute(op, "rounding"), ir.attribute(op, "signedness") is Signedness.Signed
    if size is None or size < 1 or not is_signed:
        return None
    extent, added = _sum(_operand(op, "lhs"))
    wanted = {RoundingMode.POSITIVE_INF: 0, RoundingMode.NEGATIVE_INF: size - 1, RoundingMode.ZERO: size - 1}
    if wanted.get(rounding) != added or (rounding is RoundingMode.ZERO and added):
        return None
    whole = _tiles(extent, role_of)
    return Tiles(whole.array, whole.axis, size) if whole is not None and whole.size == 1 else None


def _sum(value: SSAValue) -> tuple[SSAValue, int]:
    """A value as another one and a number."""
    value, added = unassumed(value), 0
    while isinstance(op := value.owner, Operation) and ir.row(op).name in ("addi", "subi"):
        number = _number(unassumed(_operand(op, "rhs")))
        if number is None:
            break
        added += number if ir.row(op).name == "addi" else -number
        value = unassumed(_operand(op, "lhs"))
    return value, added


def _operand(op: Operation, name: str) -> SSAValue:
    value = ir.operand(op, name)
    assert value is not None
    return value


def _result_of(value: SSAValue, name: str) -> int | None:
    """Which result of an operation of a name a value is."""
    op = value.owner
    if not isinstance(op, Operation) or ir.row(op).name != name:
        return None
    return next(number for number, result in enumerate(op.results) if result is value)


def _number(value: SSAValue) -> int | None:
    op = value.owner
    if not isinstance(op, Operation) or ir.row(op).name != "constant":
        return None
    if not isinstance(value.type, TileType) or value.type.shape or str(value.type.element) != "i32":
        return None
    return int.from_bytes(ir.attribute(op, "value"), "little", signed=True)
