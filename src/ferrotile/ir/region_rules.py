"""Rules about regions: what a block is given, how it ends, and what may stand in it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation

from ferrotile.ir.access import attribute
from ferrotile.ir.rules import REGION, Parts, Rule, when
from ferrotile.ir.spec import Effect
from ferrotile.ir.types import TileType


def _block(op: Operation, index: int = 0) -> Block:
    return op.regions[index].block


def _last(block: Block) -> str:
    last = block.last_op
    return last.name.removeprefix("cuda_tile.") if last else ""


def _types(values: Sequence[object]) -> list[object]:
    return [value.type for value in values]  # pyright: ignore[reportAttributeAccessIssue]


def ends_with(*names: str) -> Rule:
    """Every block of the operation ends with one of these operations."""
    return when(
        f"each region ends with {' or '.join(names)}", REGION,
        lambda parts: all(_last(block) in names for region in parts.op.regions for block in region.blocks),
    )  # fmt: skip


def _for_arguments(parts: Parts) -> bool:
    expected = [parts.one("lowerBound"), *parts.types["initValues"]]
    return _types(_block(parts.op).args) == expected


FOR_ARGUMENTS = when("the body takes the index and the carried values", REGION, _for_arguments)
LOOP_ARGUMENTS = when(
    "the body takes the carried values", REGION,
    lambda parts: _types(_block(parts.op).args) == list(parts.types["initValues"]),
)  # fmt: skip


def _if_yields(parts: Parts) -> bool:
    results = list(parts.types["results"])
    blocks = [block for region in parts.op.regions for block in region.blocks]
    if results and len(blocks) < 2:
        return False
    yields = [block.last_op for block in blocks if _last(block) == "yield"]
    return all(list(op.operand_types) == results for op in yields if op)


IF_YIELDS = when("each branch yields the results", REGION, _if_yields)
NO_ARGUMENTS = when(
    "the regions take nothing", REGION,
    lambda parts: not any(block.args for region in parts.op.regions for block in region.blocks),
)  # fmt: skip


def _folds(parts: Parts) -> bool:
    elements = [kind.element for kind in parts.types["operands"] if isinstance(kind, TileType)]
    scalars = [TileType(element, ()) for element in elements]
    block = _block(parts.op)
    pairs = [scalar for scalar in scalars for _ in range(2)]
    end = block.last_op
    return _types(block.args) == pairs and end is not None and list(end.operand_types) == scalars


FOLDS = when("the body takes two scalars an operand and yields one", REGION, _folds)
PURE_BODY = when(
    "the body has no side effect", REGION,
    lambda parts: all(
        op.row.effect is Effect.PURE or op.row.terminator  # pyright: ignore[reportAttributeAccessIssue]
        for op in _block(parts.op).ops
    ),
)  # fmt: skip
ENTRY_ARGUMENTS = when(
    "the body takes the parameters", REGION,
    lambda parts: tuple(_types(_block(parts.op).args)) == parts.attribute("function_type").arguments,
)  # fmt: skip


def _enclosing(op: Operation, *through: str) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and parent.name.removeprefix("cuda_tile.") in through:
        parent = parent.parent_op()
    return parent


def _is(op: Operation | None, *names: str) -> bool:
    return op is not None and op.name.removeprefix("cuda_tile.") in names


def _breaks(parts: Parts) -> bool:
    loop = _enclosing(parts.op, "if")
    return _is(loop, "loop") and loop is not None and list(loop.result_types) == list(parts.types["operands"])


def _continues(parts: Parts) -> bool:
    loop = _enclosing(parts.op, "if")
    if loop is None or not _is(loop, "for", "loop"):
        return False
    expected = loop.operand_types if _is(loop, "loop") else loop.result_types
    return list(expected) == list(parts.types["operands"])


def _returns(parts: Parts) -> bool:
    entry = _enclosing(parts.op, "if", "loop")
    if entry is None or not _is(entry, "entry"):
        return False
    return attribute(entry, "function_type").results == parts.types["operands"]


BREAKS = when("`operands`: the results of the loop around it", REGION, _breaks)
CONTINUES = when("`operands`: the carried values of the loop around it", REGION, _continues)
YIELDS = when(
    "it stands in an if, reduce or scan", REGION, lambda parts: _is(parts.op.parent_op(), "if", "reduce", "scan")
)
RETURNS = when("it stands in a kernel and gives its results", REGION, _returns)
