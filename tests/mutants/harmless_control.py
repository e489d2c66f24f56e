"""Harmless rewrites of loops and branches."""

from __future__ import annotations

from harmless import block_of, is_pure, operations, rewrite, swap_uses
from mutation import is_a
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ferrotile import ir
from ferrotile.ir.types import ScalarType, TileType, TokenType


def is_defined_in(value: SSAValue, block: Block) -> bool:
    """Whether a value is made in a block, or is its argument."""
    return value.owner is block if isinstance(value, BlockArgument) else value.owner.parent_block() is block  # type: ignore[union-attr]


@rewrite("hoist pure operations out of loops and branches")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        parent, block = op.parent_op(), block_of(op)
        if not is_pure(op) or parent is None or not is_a(parent, "for", "if", "loop"):
            continue
        if not any(is_defined_in(value, block) for value in op.operands) and not op.regions:
            block.detach_op(op)
            block_of(parent).insert_op_before(op, parent)
            count += 1
    return count


@rewrite("carry loop values in the opposite order")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        if not is_a(op, "for") or len(op.results) < 2:
            continue
        _reverse_carried(op)
        count += 1
    return count


def _reverse_carried(op: Operation) -> None:
    block = op.regions[0].block
    arguments = list(block.args)[1:]
    for operation in ends_of(block):
        operation.operands = list(operation.operands)[::-1]
    op.operands = [*list(op.operands)[:3], *list(op.operands)[3:][::-1]]
    swap_uses(arguments)
    swap_uses(list(op.results))


def ends_of(block: Block) -> list[Operation]:
    """The `continue` operations of a loop."""
    found: list[Operation] = []
    for op in block.ops:
        if is_a(op, "continue"):
            found.append(op)
        elif is_a(op, "if"):
            for region in op.regions:
                found.extend(ends_of(region.block))
    return found


@rewrite("carry one value more")
def _(module: ir.Module) -> int:
    """A loop without results carries a token that nobody reads."""
    count = 0
    for op in operations(module):
        if not is_a(op, "for") or op.results or len(ends_of(op.regions[0].block)) != 1:
            continue
        token = ir.make("make_token", results=[TokenType()])
        block_of(op).insert_op_before(token, op)
        block = op.regions[0].block
        argument = block.insert_arg(TokenType(), len(block.args))
        [end] = ends_of(block)
        end.operands = [*end.operands, argument]
        op.operands = [*op.operands, token.results[0]]
        op.results = [OpResult(TokenType(), op, 0)]
        count += 1
    return count


def carry(op: Operation, value: SSAValue) -> SSAValue:
    """Let a loop carry one value more, which it passes on as it is; gives the argument of the block."""
    block = op.regions[0].block
    argument = block.insert_arg(value.type, len(block.args))
    for end in ends_of(block):
        end.operands = [*end.operands, argument]
    op.operands = [*op.operands, value]
    if is_a(op, "for"):
        op.results = [*op.results, OpResult(value.type, op, len(op.results))]
    return argument


def stands_in(op: Operation | None, outer: Operation) -> bool:
    """Whether an operation is in a region of another."""
    while op is not None and op is not outer:
        op = op.parent_op()
    return op is not None


@rewrite("carry what a loop only reads, and what it gives on")
def _(module: ir.Module) -> int:
    """Loops in loops do so by way of each other: the outer one carries what the inner one gives."""
    count = 0
    for op in operations(module):
        read = next(_read_from_outside(op), None) if is_a(op, "for", "loop") else None
        if read is None:
            continue
        argument = carry(op, read)
        read.replace_uses_with_if(
            argument, lambda use, op=op, own=argument: stands_in(use.operation, op) and use.operation is not op
        )
        if is_a(op, "for"):
            block, result = block_of(op), op.results[-1]
            last = block.last_op
            read.replace_uses_with_if(
                result, lambda use, last=last: use.operation is last and is_a(use.operation, "continue")
            )
        count += 1
    return count


def _read_from_outside(op: Operation):  # type: ignore[no-untyped-def]
    """Tiles that the body of a loop reads and that are made outside it."""
    for inner in op.walk():
        for value in inner.operands:
            owner = value.owner
            maker = owner if isinstance(owner, Operation) else owner.parent_op()
            if inner is not op and isinstance(value.type, TileType) and not stands_in(maker, op):
                yield value


@rewrite("give what a branch does not touch")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        ends = [region.block.last_op for region in op.regions] if is_a(op, "if") else []
        value = next(_read_later(op), None) if ends and all(end and is_a(end, "yield") for end in ends) else None
        if value is None:
            continue
        for end in ends:
            assert end is not None
            end.operands = [*end.operands, value]
        op.results = [*op.results, OpResult(value.type, op, len(op.results))]
        later = _after(op)
        value.replace_uses_with_if(
            op.results[-1], lambda use, later=later: any(use.operation is other for other in later)
        )
        count += 1
    return count


def _after(op: Operation) -> list[Operation]:
    found: list[Operation] = []
    while op.next_op is not None:
        op = op.next_op
        found.append(op)
    return found


def _read_later(op: Operation):  # type: ignore[no-untyped-def]
    """Tiles made before an operation that its block reads after it."""
    later = _after(op)
    for other in later:
        for value in other.operands:
            if isinstance(value.type, TileType) and not any(value.owner is maker for maker in (op, *later)):
                yield value


@rewrite("negate conditions")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        if not is_a(op, "if"):
            continue
        kind = TileType(ScalarType("i1"), ())
        true = ir.make("constant", attributes={"value": b"\x01"}, results=[kind])
        negated = ir.make("xori", {"lhs": op.operands[0], "rhs": true.results[0]}, results=[kind])
        block_of(op).insert_ops_before([true, negated], op)
        op.operands[0] = negated.results[0]
        blocks = [region.block for region in op.regions]
        for region in op.regions:
            region.detach_block(region.block)
        for region, block in zip(op.regions, blocks[::-1], strict=True):
            region.add_block(block)
        count += 1
    return count


@rewrite("carry values twice")
def _(module: ir.Module) -> int:
    """Every second use of a carried value, or of a result, is of its twin."""
    count = 0
    for op in operations(module):
        if not is_a(op, "for") or not op.results or len(ends_of(op.regions[0].block)) != 1:
            continue
        block = op.regions[0].block
        twin = carry(op, op.operands[3])
        [end] = ends_of(block)
        end.operands[len(end.operands) - 1] = end.operands[0]
        for value, other in ((block.args[1], twin), (op.results[0], op.results[-1])):
            for use in list(value.uses)[::2]:
                use.operation.operands[use.index] = other
        count += 1
    return count
