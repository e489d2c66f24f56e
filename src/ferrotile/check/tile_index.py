"""What an index of a tile is: a block id, a number, a counter that starts at a block id and goes on by whole grids, or
a digit of one of these.

A counter takes the numbers that leave the remainder of the block's id, so blocks have no number in common. How far it
goes is said by where it ends: `floor((s + n - 1) / n)` and `ceil(s / n)` are the tiles of `n` that an extent `s` has.
(A sum that is too large for 32 bits is negative, and the loop has no round; a product that is too large is less than
the true one, or negative.)

Digits split a number `w`, and are put together again: `w // n` and `w % n` say what `w` is, and `high * n + low` what
both are, where `low < n`. Rows and columns in groups (a swizzle) are digits too:

    group = w // (height * columns);  first = group * height;  size = min(rows - first, height)
    row = first + w % size;  column = w % (height * columns) // size

For `w < rows * columns` each pair of a row and a column has one `w` (tests/check/test_tile_digits.py goes through all
small ones). `w % (height * columns) % size` does as well: both run through the rows of a group, from another one on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.check.tile_counts import LARGEST, Count, Tiles
from ferrotile.core import Role
from ferrotile.ir import Effect
from ferrotile.ir.enums import ComparisonPredicate, RoundingMode, Signedness
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
class Counter:
    """From the block id along `axis`, below `end`, by the blocks along that axis or by `step`; `value`: its own."""

    axis: int
    step: int | None
    end: Count
    value: SSAValue = field(repr=False)


@dataclass(frozen=True, slots=True)
class Quotient:
    """`of // by`."""

    of: Index
    by: Count


@dataclass(frozen=True, slots=True)
class Remainder:
    """`of % by`."""

    of: Index
    by: Count


@dataclass(frozen=True, slots=True)
class Joined:
    """`high * radix + low`."""

    high: Index
    low: Index
    radix: Count


@dataclass(frozen=True, slots=True)
class Grouped:
    """The numbers of `rows * columns` tiles, `height` rows at a time."""

    of: Index
    rows: Count
    columns: Count
    height: int


@dataclass(frozen=True, slots=True)
class Row:
    """The row of a tile; `is_inside`: counted in its group from the group's first number on."""

    tile: Grouped
    is_inside: bool = field(default=False)


@dataclass(frozen=True, slots=True)
class Column:
    """The column of a tile."""

    tile: Grouped


Index = BlockId | Number | Counter | Quotient | Remainder | Joined | Row | Column


class IndexReader:
    """Says what values are, given the role of each parameter of the entry."""

    def __init__(self, role_of: Mapping[SSAValue, Role]) -> None:
        self._role_of = role_of

    def index(self, value: SSAValue) -> Index | None:
        """What a value is; None for anything else."""
        value = unassumed(value)
        if (number := _number(value)) is not None:
            return Number(number)
        if (axis := _result_of(value, "get_tile_block_id")) is not None:
            return BlockId(axis)
        if isinstance(value, BlockArgument):
            return self._counter(value)
        return self._row(value) or self._joined(value) or self._column(value) or self._digit(value)

    def _counter(self, value: BlockArgument) -> Counter | None:
        loop = value.block.parent_op()
        if loop is None or ir.row(loop).name != "for" or value.index != 0 or ir.attribute(loop, "unsignedCmp"):
            return None
        start, end, step = (unassumed(_operand(loop, name)) for name in ("lowerBound", "upperBound", "step"))
        axis, stop = _result_of(start, "get_tile_block_id"), self._count(end)
        if axis is None or stop is None:
            return None
        if _result_of(step, "get_num_tile_blocks") == axis:
            return Counter(axis, None, stop, value)
        number = _number(step)
        return None if number is None or number < 1 else Counter(axis, number, stop, value)

    def _digit(self, value: SSAValue) -> Index | None:
        """`w // n` or `w % n`."""
        for read, made in ((_quotient, Quotient), (_remainder, Remainder)):
            if (parts := read(value)) is not None:
                whole, by = self._moving(parts[0]), self._count(parts[1])
                return None if whole is None or by is None or not _is_exact(by) else made(whole, by)
        return None

    def _joined(self, value: SSAValue) -> Joined | None:
        """`high * n + low`, the product of which may stand on either side."""
        for product, low_value in _either_way(value, "addi"):
            for high_value, radix_value in _either_way(product, "muli"):
                high, low, radix = self._moving(high_value), self._moving(low_value), self._count(radix_value)
                if high is not None and low is not None and radix is not None and _is_exact(radix):
                    return Joined(high, low, radix)
        return None

    def _row(self, value: SSAValue) -> Row | None:
        for first, rest in _either_way(value, "addi"):
            parts = _remainder(rest)
            whole = None if parts is None else self._groups(parts[1])
            if parts is None or whole is None or not _same(first, whole.first):
                continue
            if _same(parts[0], whole.number):
                return Row(whole.tile)
            inner = _remainder(parts[0])
            if inner is not None and _same(inner[0], whole.number) and _same(inner[1], whole.group):
                return Row(whole.tile, is_inside=True)
        return None

    def _column(self, value: SSAValue) -> Column | None:
        parts = _quotient(value)
        inner = None if parts is None else _remainder(parts[0])
        whole = None if parts is None else self._groups(parts[1])
        if inner is None or whole is None or not (_same(inner[0], whole.number) and _same(inner[1], whole.group)):
            return None
        return Column(whole.tile)

    def _groups(self, size: SSAValue) -> _Groups | None:
        """What is grouped, by the size of a group: `min(rows - w // (height * columns) * height, height)`."""
        for left, height_value in _either_way(size, "mini"):
            height = _number(unassumed(height_value))
            if height is None or height < 1 or not _is_signed(size):
                continue
            rows_value, first = _operands_of(left, "subi") or (None, None)
            if rows_value is None or first is None:
                continue
            for group, times in _either_way(first, "muli"):
                parts = _quotient(group) if _number(unassumed(times)) == height else None
                if parts is None:
                    continue
                number, rows, numbers = self._moving(parts[0]), self._count(rows_value), self._count(parts[1])
                if number is None or rows is None or numbers is None or numbers.times % height:
                    continue
                if min(rows.times, numbers.times) < 1 or not _is_exact(rows) or not _is_exact(numbers):
                    continue
                columns = Count(numbers.times // height, numbers.factors)
                return _Groups(Grouped(number, rows, columns, height), parts[0], parts[1], first)
        return None

    def _moving(self, value: SSAValue) -> Index | None:
        """What a value is, unless it is a number."""
        index = self.index(value)
        return None if isinstance(index, Number) else index

    def _count(self, value: SSAValue) -> Count | None:
        """A number, tiles of an extent, or a product of these, which may be too large for 32 bits."""
        value = unassumed(value)
        if (number := _number(value)) is not None:
            return Count(number)
        if (tiles := self._tiles(value)) is not None:
            return Count.of(tiles)
        for left, right in _either_way(value, "muli"):
            counts = (self._count(left), self._count(right))
            if counts[0] is not None and counts[1] is not None and min(counts[0].times, counts[1].times) > 0:
                return counts[0] * counts[1]
        return None

    def _tiles(self, value: SSAValue) -> Tiles | None:
        role = self._role_of.get(value)
        if role is not None and role.kind in ("shape", "scalar"):
            return Tiles(role)
        op = value.owner
        if not isinstance(op, Operation) or ir.row(op).name != "divi":
            return None
        size, rounding = _number(unassumed(_operand(op, "rhs"))), ir.attribute(op, "rounding")
        if size is None or size < 1 or not _is_signed(value):
            return None
        extent, added = _sum(_operand(op, "lhs"))
        wanted = {RoundingMode.POSITIVE_INF: 0, RoundingMode.NEGATIVE_INF: size - 1, RoundingMode.ZERO: size - 1}
        if wanted.get(rounding) != added or (rounding is RoundingMode.ZERO and added):
            return None
        whole = self._tiles(extent)
        return Tiles(whole.of, size, is_sum=added > 0) if whole is not None and whole.size == 1 else None


@dataclass(frozen=True, slots=True)
class _Groups:
    """A grouping, and the values it was read from: the number, how many are in a group, the group's first row."""

    tile: Grouped
    number: SSAValue
    group: SSAValue
    first: SSAValue


def unassumed(value: SSAValue) -> SSAValue:
    """The value that assumptions were put on."""
    while isinstance(op := value.owner, Operation) and ir.row(op).name == "assume":
        value = op.operands[0]
    return value


def _is_exact(count: Count) -> bool:
    """Whether a count that is computed in 32 bits is what it says."""
    return count.most <= LARGEST


def _quotient(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """`a` and `b` of `a // b`; for numbers that are not negative both ways of rounding are one."""
    parts = _operands_of(value, "divi")
    if parts is None or not _is_signed(value):
        return None
    op = unassumed(value).owner
    assert isinstance(op, Operation)
    down = (RoundingMode.NEGATIVE_INF, RoundingMode.ZERO)
    return parts if ir.attribute(op, "rounding") in down else None


def _remainder(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """`a` and `b` of `a % b`, for numbers that are not negative: as Tile IR has it, or made to have the sign of `b`."""
    value = unassumed(value)
    parts = _operands_of(value, "remi")
    if parts is not None:
        return parts if _is_signed(value) else None
    op = value.owner
    if not isinstance(op, Operation) or ir.row(op).name != "select":
        return None
    plain = unassumed(_operand(op, "val_if_false"))
    parts = _operands_of(plain, "remi")
    if parts is None or not _is_signed(plain):
        return None
    return parts if _truth(_operand(op, "cond"), (plain, parts[1])) is False else None


def _truth(value: SSAValue, positive: tuple[SSAValue, ...]) -> bool | None:
    """A condition for numbers that are not negative; None where that does not say."""
    value = unassumed(value)
    if (below := _operands_of(value, "cmpi")) is not None:
        op = value.owner
        assert isinstance(op, Operation)
        is_less = ir.attribute(op, "comparison_predicate") is ComparisonPredicate.LESS_THAN
        is_known = any(_same(below[0], one) for one in positive) and _number(unassumed(below[1])) == 0
        return False if is_less and is_known and _is_signed(value) else None
    for name in ("andi", "xori"):
        if (both := _operands_of(value, name)) is not None:
            left, right = (_truth(one, positive) for one in both)
            if name == "andi":
                return False if left is False or right is False else None
            return None if left is None or right is None else left is not right
    return None


def _either_way(value: SSAValue, name: str) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands of an operation of that name, in both orders."""
    if (both := _operands_of(value, name)) is not None:
        yield both
        yield both[1], both[0]


def _operands_of(value: SSAValue, name: str) -> tuple[SSAValue, SSAValue] | None:
    op = unassumed(value).owner
    if not isinstance(op, Operation) or ir.row(op).name != name:
        return None
    return _operand(op, "lhs"), _operand(op, "rhs")


def _same(left: SSAValue, right: SSAValue) -> bool:
    """Whether two values are one, or made in the same way of the same."""
    left, right = unassumed(left), unassumed(right)
    if left is right:
        return True
    first, second = left.owner, right.owner
    if not (isinstance(first, Operation) and isinstance(second, Operation)) or first is second:
        return False
    row = ir.row(first)
    if row.name != ir.row(second).name or row.effect is not Effect.PURE or first.regions:
        return False
    if first.properties != second.properties or first.attributes != second.attributes:
        return False
    is_same_result = first.results.index(left) == second.results.index(right) and left.type == right.type
    operands = (first.operands, second.operands)
    return is_same_result and len(operands[0]) == len(operands[1]) and all(map(_same, *operands))


def _is_signed(value: SSAValue) -> bool:
    op = unassumed(value).owner
    return isinstance(op, Operation) and ir.attribute(op, "signedness") is Signedness.Signed


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
