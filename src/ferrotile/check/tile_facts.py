"""What a launch must see to for an index to be what it was read as, and to stay below a count; and what it tells.

Each fact is a sentence. An index below its limit is not negative, and each of its parts is below its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ferrotile.check.tile_counts import LARGEST, Blocks, Count, Tiles, Unproved, at_most
from ferrotile.check.tile_index import (
    BlockId,
    Column,
    Counter,
    Grouped,
    Index,
    Joined,
    Number,
    Quotient,
    Remainder,
    Row,
)

ONE = Count(1)


def needs_of(index: Index) -> Iterator[str]:
    """The facts for an index to be what it was read as. Raises: Unproved where it is not."""
    match index:
        case BlockId() | Number():
            return
        case Counter(axis, step, end):
            if end.times > 1 or len(end.factors) > 1:  # else a number below 0 leaves the loop without a round
                yield from end.facts()
            yield from _steps(axis, step, end)
        case Quotient(of, by) | Remainder(of, by):
            yield from _needs_of_whole(of)
            yield from by.facts()
            yield from at_most(ONE, by)
        case Joined(high, low, radix):
            yield from needs_of(high)
            yield from needs_of(low)
            yield from radix.facts()
            yield from below(low, radix)
        case Row(tile) | Column(tile):
            yield from _needs_of_whole(tile.of)
            yield from tile.rows.facts()
            yield from tile.columns.facts()
            yield from below(tile.of, tile.rows * tile.columns)


def _needs_of_whole(index: Index) -> Iterator[str]:
    """The same of one that is split: that it is a number of 32 bits does not follow from a limit of a part."""
    yield from needs_of(index)
    if isinstance(index, Joined):
        yield from at_most(_count_of(index), Count(LARGEST))


def below(index: Index, limit: Count) -> Iterator[str]:
    """The facts for an index to be less than a count. Raises: Unproved where it is not, or not known to be."""
    match index:
        case Number(value):
            yield from at_most(Count(value + 1), limit)
        case BlockId(axis):
            yield from at_most(Count.of(Blocks(axis)), limit)
        case Counter(_, _, end):
            if end.factors or end.times > 0:
                yield from at_most(end, limit)
        case Quotient(of, by):
            yield from below(of, by * limit)
        case Remainder(_, by):
            yield from at_most(by, limit)
        case Joined(high, _, radix):
            yield from at_most(_count_of(high) * radix, limit)
        case Row(tile):
            yield from at_most(tile.rows, limit)
        case Column(tile):
            yield from at_most(tile.columns, limit)


def _count_of(index: Index) -> Count:
    """How many numbers an index may be. Raises: Unproved where that is no count."""
    match index:
        case BlockId(axis):
            return Count.of(Blocks(axis))
        case Counter(_, _, end):
            return end
        case Remainder(_, by):
            return by
        case Row(Grouped(rows=count)) | Column(Grouped(columns=count)):
            return count
        case Joined(high, _, radix):
            return _count_of(high) * radix
        case _:
            raise Unproved("how far a quotient goes is not known")


def _steps(axis: int, step: int | None, end: Count) -> Iterator[str]:
    """That a counter's steps are no shorter than the grid, and that it does not run over: it is the largest number at
    most when it is past its end, by a step.
    """
    grid = str(Blocks(axis))
    if step is not None:
        yield f"{grid} <= {step}"
    by = grid if step is None else str(step)
    if end.factors:
        (one, *more) = end.factors
        past = one.extent if isinstance(one, Tiles) and not more and end.times == 1 else str(end)
        yield f"{past} + {by} <= {LARGEST}"
    elif step is None:
        yield f"{by} <= {LARGEST - max(end.times, 0)}"
    elif end.times + step > LARGEST:
        raise Unproved("a counter may run over")


def ends_of(index: Index) -> Iterator[BlockId | Counter]:
    """The block ids and counters that an index is made of."""
    match index:
        case BlockId() | Counter():
            yield index
        case Quotient(of) | Remainder(of) | Row(Grouped(of)) | Column(Grouped(of)):
            yield from ends_of(of)
        case Joined(high, low):
            yield from ends_of(high)
            yield from ends_of(low)
        case Number():
            return


def by_blocks(index: Index) -> Index:
    """The same with the block id in the place of each counter that starts from it."""
    match index:
        case Counter(axis):
            return BlockId(axis)
        case Quotient(of, by):
            return Quotient(by_blocks(of), by)
        case Remainder(of, by):
            return Remainder(by_blocks(of), by)
        case Joined(high, low, radix):
            return Joined(by_blocks(high), by_blocks(low), radix)
        case Row(tile, is_inside):
            return Row(_grouped_by_blocks(tile), is_inside)
        case Column(tile):
            return Column(_grouped_by_blocks(tile))
        case _:
            return index


def _grouped_by_blocks(tile: Grouped) -> Grouped:
    return Grouped(by_blocks(tile.of), tile.rows, tile.columns, tile.height)


def told(parts: Iterable[Index]) -> frozenset[int]:
    """The axes of the grid along which the block id follows from all of these together."""
    known = set(parts)
    while more := {found for one in known for found in _undone(one, known)} - known:
        known |= more
    return frozenset(one.axis for one in known if isinstance(one, BlockId))


def _undone(one: Index, known: set[Index]) -> Iterator[Index]:
    """What follows from an index and the others that are known."""
    match one:
        case Joined(high, low):
            yield high
            yield low
        case Quotient(of, by) if Remainder(of, by) in known:
            yield of
        case Column(tile) if Row(tile) in known or Row(tile, is_inside=True) in known:
            yield tile.of
        case _:
            return
