"""Rewrites that change a program and not what it means: check must say EQUAL.

Each takes a decoded module, edits it in place, and says how often it applied.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from edit import put_instead, set_attribute
from kinds import attribute, is_a
from xdsl.ir import Block, Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.debug import locate
from ferrotile.ir.types import FunctionType, ScalarType, TileType, TokenType

Rewrite = Callable[[ir.Module], int]
REWRITES: dict[str, Rewrite] = {}


def rewrite(name: str) -> Callable[[Rewrite], Rewrite]:
    """Enter a rewrite into the table."""

    def enter(function: Rewrite) -> Rewrite:
        REWRITES[name] = function
        return function

    return enter


def operations(module: ir.Module) -> list[Operation]:
    """All operations of the kernel, as a list that edits do not disturb."""
    return list(module.entries[0].walk())[1:]


def is_pure(op: Operation) -> bool:
    """Whether an operation may move freely."""
    return ir.row(op).effect is ir.Effect.PURE and not is_a(op, "assume")


def block_of(op: Operation) -> Block:
    """The block that holds an operation."""
    block = op.parent_block()
    assert block is not None
    return block


@rewrite("sink pure operations to their first user")
def _(module: ir.Module) -> int:
    count = 0
    for op in reversed(operations(module)):
        users = [use.operation for value in op.results for use in value.uses]
        if not is_pure(op) or not users or any(user.parent_block() is not op.parent_block() for user in users):
            continue
        block = block_of(op)
        first = next((other for other in block.ops if other in users), None)
        if first is not None and op.next_op is not first:
            block.detach_op(op)
            block.insert_op_before(op, first)
            count += 1
    return count


@rewrite("compute values again for every user")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        if not is_pure(op) or len(op.results) != 1 or op.regions:
            continue
        for use in list(op.results[0].uses)[1:]:
            copy = op.clone()
            copy.location = op.location  # type: ignore[attr-defined]
            block_of(op).insert_op_after(copy, op)
            use.operation.operands[use.index] = copy.results[0]
            count += 1
    return count


@rewrite("add dead code")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        if len(op.results) == 1 and is_pure(op) and not op.regions:
            block_of(op).insert_op_after(op.clone(), op)
            count += 1
    return count


@rewrite("forget names and places")
def _(module: ir.Module) -> int:
    set_attribute(module.entries[0], "sym_name", "another")
    for op in (module.entries[0], *operations(module)):
        locate(op, None)
    return 1


def swap_uses(values: list[SSAValue]) -> None:
    """Give value `k` the uses and the type of value `n - 1 - k`."""
    uses = [[(use.operation, use.index) for use in value.uses] for value in values]
    kinds = [value.type for value in values]
    for value, kind, places in zip(values, kinds[::-1], uses[::-1], strict=True):
        value._type = kind  # type: ignore[attr-defined]
        for operation, index in places:
            operation.operands[index] = value


@rewrite("ask for the block ids again")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        for index, value in enumerate(op.operands):
            owner = value.owner
            if isinstance(owner, Operation) and is_a(owner, "get_tile_block_id", "get_num_tile_blocks"):
                again = owner.clone()
                block_of(op).insert_op_before(again, op)
                op.operands[index] = again.results[list(owner.results).index(value)]  # type: ignore[arg-type]
                count += 1
    return count


@rewrite("join every token with a new one")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        for index, value in enumerate(op.operands):
            if isinstance(value.type, TokenType) and not is_a(op, "join_tokens"):
                fresh = ir.make("make_token", results=[TokenType()])
                joined = ir.make("join_tokens", {"tokens": [fresh.results[0], value]}, results=[TokenType()])
                block_of(op).insert_ops_before([fresh, joined], op)
                op.operands[index] = joined.results[0]
                count += 1
    return count


@rewrite("fill tiles from scalar constants")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        kind = op.results[0].type if is_a(op, "constant") else None
        if not isinstance(kind, TileType) or not kind.shape or not isinstance(kind.element, ScalarType):
            continue
        data: bytes = attribute(op, "value")  # type: ignore[assignment]
        size = max(1, kind.element.constant_bits // 8)
        if data != data[:size] * max(1, len(data) // size):
            continue
        ones = TileType(kind.element, (1,) * len(kind.shape))
        scalar = ir.make("constant", attributes={"value": data[:size]}, results=[TileType(kind.element, ())])
        spread = ir.make("reshape", {"source": scalar.results[0]}, results=[ones])
        full = ir.make("broadcast", {"source": spread.results[0]}, results=[kind])
        block_of(op).insert_ops_before([scalar, spread], op)
        put_instead(op, full)
        count += 1
    return count


@rewrite("reshape by a detour")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        kind = op.results[0].type if is_a(op, "reshape") else None
        if isinstance(kind, TileType):
            flat = ir.make("reshape", {"source": op.operands[0]}, results=[TileType(kind.element, (prod(kind.shape),))])
            block_of(op).insert_op_before(flat, op)
            op.operands[0] = flat.results[0]
            count += 1
    return count


@rewrite("name the target in hints")
def _(module: ir.Module) -> int:
    count = 0
    for op in [module.entries[0], *operations(module)]:
        hints = attribute(op, "optimization_hints")
        if hints and len(hints) == 1:  # type: ignore[arg-type]
            set_attribute(op, "optimization_hints", tuple(("sm_90", group) for _, group in hints))  # type: ignore[attr-defined]
            count += 1
    return count


@rewrite("repeat assumptions")
def _(module: ir.Module) -> int:
    count = 0
    for op in operations(module):
        if is_a(op, "assume"):
            again = op.clone()
            block_of(op).insert_op_after(again, op)
            again.operands[0] = op.results[0]
            for use in list(op.results[0].uses):
                if use.operation is not again:
                    use.operation.operands[use.index] = again.results[0]
            count += 1
    return count


def reversed_parameters(module: ir.Module) -> None:
    """The entry parameters in the opposite order; the caller gives check the map."""
    entry = module.entries[0]
    arguments = list(entry.regions[0].block.args)
    kind: FunctionType = attribute(entry, "function_type")  # type: ignore[assignment]
    set_attribute(entry, "function_type", FunctionType(kind.arguments[::-1], kind.results))
    swap_uses(arguments)  # type: ignore[arg-type]


@rewrite("exchange neighbours that do not read each other")
def _(module: ir.Module) -> int:
    """Memory operations among them: tokens alone order these."""
    count = 0
    for op in operations(module):
        after = op.next_op
        if after is None or not (_moves(op) and _moves(after)):
            continue
        if not any(value.owner is op for value in after.operands):
            block = block_of(op)
            block.detach_op(op)
            block.insert_op_after(op, after)
            count += 1
    return count


def _moves(op: Operation) -> bool:
    return is_pure(op) or op.name.endswith("_tko")
