"""Which entry parameters a kernel writes through: from every store and atomic back to where its addresses come from."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.spec import Effect
from ferrotile.ir.types import GatherScatterViewType, PartitionViewType, PointerType, StridedViewType, TensorViewType
from ferrotile.ir.types import TileType as Tile

_VIEWS = (TensorViewType, PartitionViewType, StridedViewType, GatherScatterViewType)


def written_parameters(entry: Operation) -> set[int]:
    """Indices of the entry parameters whose memory may be written to. Where control flow mixes addresses, all count."""
    parameters = entry.regions[0].block.args
    stores = [op for op in entry.walk() if op is not entry and ir.row(op).effect is Effect.WRITE]
    reached = {value for op in stores for value in op.operands if _is_address(value)}
    waiting = list(reached)
    while waiting:
        for value in _sources(waiting.pop(), entry):
            if value not in reached and _is_address(value):
                reached.add(value)
                waiting.append(value)
    return {index for index, value in enumerate(parameters) if value in reached}


def _sources(value: SSAValue, entry: Operation) -> Iterator[SSAValue]:
    """The values that an address may have been made of."""
    op = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
    assert isinstance(op, Operation)
    if op is entry:
        return
    yield from op.operands
    for region in op.regions:
        for block in region.blocks:
            yield from _leaving(block)


def _leaving(block: Block) -> Iterator[SSAValue]:
    """What leaves a block, or the blocks in it, to become a result or a carried value."""
    for op in block.walk():
        if ir.row(op).effect is Effect.CONTROL and not op.regions:
            yield from op.operands


def _is_address(value: SSAValue) -> bool:
    type_ = value.type
    return isinstance(type_, _VIEWS) or (isinstance(type_, Tile) and isinstance(type_.element, PointerType))
