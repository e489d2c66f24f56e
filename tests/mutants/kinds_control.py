"""Mutations of loops and branches."""

from __future__ import annotations

from edit import data_of, operand_index, other_values, swap_operands
from mutation import is_a, mutation
from xdsl.ir import Operation

from ferrotile import ir


@mutation("loop bound", "operand", "operation", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "for"):
        return False
    for value in other_values(op, 1):
        if data_of(value) != data_of(op.operands[1]):
            op.operands[1] = value
            return True
    return False


@mutation("loop step", "operand", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "for") or data_of(op.operands[1]) == data_of(op.operands[2]):
        return False
    op.operands[2] = op.operands[1]
    return True


def loop_of(op: Operation) -> Operation:
    """The loop that an operation stands in."""
    loop = op.parent_op()
    while loop is not None and not is_a(loop, "for", "loop"):
        loop = loop.parent_op()
    assert loop is not None
    return loop


def _starts(op: Operation, k: int) -> object:
    """What a carried value starts as; two that start alike may change places."""
    return data_of(ir.operands(loop_of(op), "initValues")[k])


@mutation("carried value swap", "operand", "operation", "constant", "order", "type")
def _(op: Operation) -> bool:
    if not is_a(op, "continue"):
        return False
    for i in range(len(op.operands)):
        for j in range(i):
            same = op.operands[i] is op.operands[j] or op.operands[i].type != op.operands[j].type
            if not same and _starts(op, i) != _starts(op, j):
                swap_operands(op, i, j)
                return True
    return False


@mutation("loop start", "operand", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "for") or data_of(op.operands[0]) == data_of(op.operands[2]):
        return False
    op.operands[0] = op.operands[2]
    return True


@mutation("carried value lost", "operand", "operation", "constant", "order", "type", around=True)
def _(op: Operation) -> bool:
    """A loop passes on what it was given, not what became of it."""
    loop = loop_of(op) if is_a(op, "continue") else None
    if loop is None:
        return False
    arguments = list(loop.regions[0].block.args)[1 if is_a(loop, "for") else 0 :]
    for k, argument in enumerate(arguments):
        if op.operands[k] is not argument and list(argument.uses):
            op.operands[k] = argument
            return True
    return False


@mutation("carried start", "operand", "operation", "constant", "order")
def _(op: Operation) -> bool:
    if not is_a(op, "for", "loop"):
        return False
    at = operand_index(op, "initValues")
    for k in range(at, len(op.operands)):
        for value in other_values(op, k):
            if data_of(value) != data_of(op.operands[k]):
                op.operands[k] = value
                return True
    return False


@mutation("blocks of a branch", "operand", "operation", "constant", "attribute", "type", "order")
def _(op: Operation) -> bool:
    if not is_a(op, "if"):
        return False
    first, second = (region.block for region in op.regions)
    for region in op.regions:
        region.detach_block(region.block)
    op.regions[0].add_block(second)
    op.regions[1].add_block(first)
    return True
