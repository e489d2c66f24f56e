"""Small edits of a decoded module, in place, that mutations are written with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from ferrotile import ir
from ferrotile.check.exits import settle_exits
from ferrotile.check.kernel import Interner, Kernel
from ferrotile.check.liveness import mark_live
from ferrotile.ir.access import SEGMENTS, segments_of, wrap


def live_operations(module: ir.Module) -> list[Operation]:
    """The operations of the one kernel that matter, in program order (a mutated dead one would change nothing)."""
    kernel = Kernel(module.entries[0], Interner(), "sm_90", {})
    settle_exits(kernel)
    mark_live(kernel)
    return [node.op for node in kernel.nodes if node.live]


def number(module: ir.Module, op: Operation) -> int:
    """The position of an operation in program order."""
    return next(k for k, other in enumerate(module.entries[0].walk()) if other is op)


def numbered(module: ir.Module, position: int) -> Operation:
    """The operation at a position in program order."""
    return next(op for k, op in enumerate(module.entries[0].walk()) if k == position)


def set_attribute(op: Operation, name: str, value: object) -> None:
    """Give an attribute another value."""
    op.properties[name] = wrap(value)


def set_type(value: SSAValue, kind: object) -> None:
    """Give a value another type."""
    value._type = kind  # type: ignore[attr-defined]


def operand_index(op: Operation, name: str) -> int:
    """Where the first value of an operand name stands."""
    start = 0
    for slot in ir.row(op).operands:
        if slot.name == name:
            return start
        start += len(ir.operands(op, slot.name))
    raise KeyError(name)


def drop_operand(op: Operation, name: str) -> None:
    """Leave out an optional operand."""
    index = operand_index(op, name)
    sizes = [len(ir.operands(op, slot.name)) for slot in ir.row(op).operands]
    sizes[[slot.name for slot in ir.row(op).operands].index(name)] = 0
    op.operands = [value for k, value in enumerate(op.operands) if k != index]
    if ir.row(op).has_segments:
        op.properties[SEGMENTS] = segments_of(tuple(sizes))


def swap_operands(op: Operation, i: int, j: int) -> None:
    """Two operands change places."""
    first, second = op.operands[i], op.operands[j]
    op.operands[i], op.operands[j] = second, first


def rename(op: Operation, name: str) -> Operation:
    """Put another operation with the same parts in the place of one; attributes that it lacks get their first value."""
    row = next(row for row in ir.table() if row.name == name)
    attributes: dict[str, object] = {}
    for field in row.attributes:
        old = op.properties.get(field.name)
        attributes[field.name] = old.data if old is not None else (next(iter(field.enum)) if field.enum else False)
    slots = dict(zip((slot.name for slot in row.operands), op.operands, strict=True))
    new = ir.make(name, slots, attributes, [value.type for value in op.results])
    new.location = op.location  # type: ignore[attr-defined]
    put_instead(op, new)
    return new


def put_instead(op: Operation, new: Operation) -> None:
    """Replace an operation, its uses included."""
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(new, op)
    for old, value in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(value)
    block.erase_op(op)


def view_type(op: Operation, **changes: object) -> None:
    """Change fields of the view type that an operation gives."""
    set_type(op.results[0], replace(op.results[0].type, **changes))  # type: ignore[type-var]


def other_values(op: Operation, index: int) -> Iterator[SSAValue]:
    """Values of the same type that may stand for an operand: earlier results of the block, nearest first."""
    wanted = op.operands[index]
    earlier = op.prev_op
    while earlier is not None:
        for value in earlier.results:
            if value.type == wanted.type and value is not wanted:
                yield value
        earlier = earlier.prev_op


def data_of(value: SSAValue, steps: int = 3) -> object:
    """What tells a value from another one: the bytes of a constant, brought to whatever shape; how it is computed, some
    steps back; or the value itself."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return value
    match owner.name.removeprefix("cuda_tile."):
        case "constant":
            return ir.attribute(owner, "value")
        case "reshape" | "broadcast":
            return data_of(owner.operands[0], steps)
        case _ if steps and ir.row(owner).effect is ir.Effect.PURE:
            inside = list(owner.walk())
            outside = [v for op in inside for v in op.operands if not _is_made_in(v, inside)]
            # The text names values by when they first come; which values these are is told beside it.
            return str(owner), value.index, tuple(data_of(v, steps - 1) for v in outside)  # type: ignore[attr-defined]
        case _:
            return value


def _is_made_in(value: SSAValue, operations: list[Operation]) -> bool:
    maker = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    return any(maker is op for op in operations)
