"""Which entry parameters a kernel writes through: from every store and atomic back to where its addresses come from."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.spec import Effect


def written_parameters(entry: Operation) -> set[int]:
    """Indices of the entry parameters whose memory may be written to. Where control flow mixes addresses, all count."""
    parameters = entry.regions[0].block.args
    stores = [op for op in entry.walk() if op is not entry and ir.row(op).effect is Effect.WRITE]
    reached = {value for op in stores for value in op.operands if ir.is_address(value)}
    waiting = list(reached)
    while waiting:
        for value in _sources(waiting.pop(), entry):
            if value not in reached and ir.is_address(value):
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
            yield from ir.leaving(block)
