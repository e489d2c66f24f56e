"""Handlers for branches, and for how a kernel ends. A branch's results are mutable variables."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block as IrBlock
from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import operand, operands, row
from ferrotile.ir.types import TokenType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.exits import declare_before_loop, is_carried, is_left
from ferrotile.lift.liveness import holds
from ferrotile.lift.loops import assign_all
from ferrotile.lift.rust import Block, Expr, Form, Level, RustType, rust_type, shape_of
from ferrotile.lift.tokens import TOKEN, alias_token

UNORDERED = "new_token_unordered()"


@handles("if")
def _if(writer: Writer, op: Operation) -> bool:
    tested = operand(op, "condition")
    assert tested is not None
    condition = writer.scalar(tested)
    writer.in_order()
    then, other = (region.block for region in op.regions)
    if _leaves(then) or _leaves(other):
        return _early(writer, op, condition, then, other)
    if _goes_on_alone(then, other) and any(_is_declared(writer, op, index) for index in range(len(op.results))):
        _beside(writer, op, condition, then, other)
        return False
    names: list[str | None] = []
    for index in range(len(op.results)):
        names.append(_result_variable(writer, op, index, names))
    blocks = [_branch(writer, block, op, names) for block in (then, other)]
    _nest_if(writer, condition, blocks)
    for result, name in zip(op.results, names, strict=True):
        if name is not None:
            if isinstance(result.type, TokenType):
                writer.tokens[result] = name
            else:
                type_ = writer.names.mutable[name]
                writer.values[result] = Expr(name, type_, reads=frozenset({name}))
    return False


def _goes_on_alone(then: IrBlock, other: IrBlock) -> bool:
    """Whether one block goes to the next round, or out of the loop, and the other one goes on."""
    return sorted(_ends(block) == "yield" for block in (then, other)) == [False, True]


def _ends(block: IrBlock) -> str:
    return "yield" if block.last_op is None else row(block.last_op).name


def _is_declared(writer: Writer, op: Operation, index: int) -> bool:
    """Whether a result of a branch needs a variable of its own.

    cutile 0.5.0 gives a `continue` or `break` inside the branch that variable too, which the loop does not carry.
    """
    result = op.results[index]
    if not writer.live.is_used(result) or result in writer.targets:
        return False
    passed = _passed(op, index)
    return passed is None or _passing(writer, op, index, passed, []) is None


def _beside(writer: Writer, op: Operation, condition: Expr, then: IrBlock, other: IrBlock) -> None:
    """`if c { .. continue; }`, then the block that goes on, whose values are the results."""
    is_first = _ends(then) != "yield"
    leaving, stays = (then, other) if is_first else (other, then)
    writer.block.nest(f"if {condition.text if is_first else _negated(condition)}", _branch(writer, leaving, op, []))
    if not _go_on(writer, op, stays):
        _give_results(writer, op, stays)


def _go_on(writer: Writer, op: Operation, stays: IrBlock) -> bool:
    """Write the block of a branch that goes on where the other one leaves."""
    writer.branches.append((op, [None] * len(op.results)))
    is_done = writer.body(stays)
    writer.branches.pop()
    return is_done


def _give_results(writer: Writer, op: Operation, stays: IrBlock) -> None:
    """What the block that goes on yields are the results, since the other one left."""
    for index, result in enumerate(op.results):
        value = _yielded(stays, index)
        assert value is not None
        if isinstance(result.type, TokenType):
            alias_token(writer, result, value)
        elif writer.live.is_used(result):
            writer.alias(result, writer.expr(value), op)


def _passed(op: Operation, index: int) -> SSAValue | None:
    """A value from before the branch that one of its blocks gives as this result, the last block's first."""
    yields = [_yielded(region.block, index) for region in op.regions]
    return next((value for value in yields[::-1] if value is not None and _is_outside(value, op)), None)


def _nest_if(writer: Writer, condition: Expr, blocks: Sequence[Block]) -> None:
    if not blocks[1].items:
        writer.block.nest(f"if {condition.text}", blocks[0])
        return
    writer.block.nest(f"if {condition.text}", blocks[0], tail="} else {")
    writer.block.items.extend(blocks[1].items)
    writer.block.add("}")


def _leaves(block: IrBlock) -> bool:
    return block.last_op is not None and row(block.last_op).name == "return"


def _result_variable(writer: Writer, op: Operation, index: int, given: Sequence[str | None]) -> str | None:
    """The mutable variable that a branch's result becomes, holding the value of a branch that only passes one.

    `given`: the variables of the results before it.
    """
    result = op.results[index]
    if not writer.live.is_used(result):
        return None
    if result in writer.targets:
        name = writer.targets[result]
        if not isinstance(result.type, TokenType):
            writer.names.mutable.setdefault(name, _variable_type(writer, name, result))
        return name
    passed = _passed(op, index)
    until = writer.live.last(result)
    if passed is not None and (name := _passing(writer, op, index, passed, given)) is not None:
        writer.names.hold(name, until)
        writer.passed[result] = passed
        return name
    return _declared(writer, op, result, passed)


def _declared(writer: Writer, op: Operation, result: SSAValue, passed: SSAValue | None) -> str:
    """Declare the variable of a branch's result, with the value `passed` if a block gives that."""
    is_token = isinstance(result.type, TokenType)
    if passed is None:
        start, type_ = None, TOKEN if is_token else _plain_type(result)
    elif is_token:
        start, type_ = Expr(writer.tokens[passed] or UNORDERED, TOKEN), TOKEN
    else:
        start = writer.expr(passed)
        type_, writer.passed[result] = start.type, passed
    wanted = writer.annotations.names.get(result, "token") if is_token else writer.annotations.name(result)
    if is_left(op):
        name = declare_before_loop(writer, wanted, type_, _dummy(type_))
        if start is not None:
            writer.assign(name, start)
        return name
    name = writer.names.take(wanted, writer.now, writer.live.last(result))
    if start is None and not is_token:
        writer.block.add("#[allow(unused_assignments)]")
    writer.block.add(f"let mut {name}: {type_} = {_dummy(type_) if start is None else start.text};")
    writer.names.mutable[name] = type_
    return name


def _passing(writer: Writer, op: Operation, index: int, passed: SSAValue, given: Sequence[str | None]) -> str | None:
    """The mutable variable of a passed value that only the branches need: they assign it."""
    is_token = isinstance(passed.type, TokenType)
    if not all(user is not op and holds(op, user) for user in writer.live.users(passed)):
        return None
    name = (writer.tokens[passed] or "") if is_token else writer.values[passed].text
    type_ = TOKEN if is_token else writer.values[passed].type
    if writer.names.mutable.get(name) != type_ or name in given:
        return None
    if is_left(op) and not is_carried(writer, name):
        return None
    if not writer.may_go_on(name, passed, op.results[index]):
        return None
    return name


def _variable_type(writer: Writer, name: str, result: SSAValue) -> RustType:
    for carried, names in writer.loops[::-1]:
        for argument, held in zip(carried, names, strict=True):
            if held == name:
                return writer.values[argument].type
    return _plain_type(result)


def _plain_type(value: SSAValue) -> RustType:
    type_ = rust_type(value.type)  # pyright: ignore[reportArgumentType]
    is_number = type_.form is Form.TILE and type_.shape == ()
    return RustType(Form.SCALAR, type_.element) if is_number else type_


def _dummy(type_: RustType) -> str:
    """Any value of a type, for a variable that both branches assign."""
    if type_.form is Form.TOKEN:
        return UNORDERED
    zero = {"bool": "false"}.get(type_.element)
    if zero is None:
        zero = f"0{type_.element}" if type_.element[0] in "iu" else f"0.0{type_.element}"
    if type_.form is Form.SCALAR:
        return zero
    if type_.form is Form.TILE and type_.element in ("f16", "bf16"):
        return f"constant_from(0.0, {shape_of(type_.shape)})"
    if type_.form is Form.TILE:
        return f"constant({zero}, {shape_of(type_.shape)})"
    raise Unsupported("FT304", f"a branch that gives a `{type_}` has no Rust form")


def _yielded(block: IrBlock, index: int) -> SSAValue | None:
    last = block.last_op
    return last.operands[index] if last is not None and row(last).name == "yield" else None


def _is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether a value was made before `op`."""
    block = value.owner if isinstance(value.owner, IrBlock) else value.owner.parent_block()
    return not any(region.block is block or _holds(region.block, block) for region in op.regions)


def _holds(outer: IrBlock, inner: IrBlock | None) -> bool:
    while inner is not None:
        if inner is outer:
            return True
        parent = inner.parent_op()
        inner = parent.parent_block() if parent is not None else None
    return False


def _branch(writer: Writer, block: IrBlock, op: Operation, names: Sequence[str | None]) -> Block:
    writer.branches.append((op, list(names)))
    with writer.nested(op) as inner:
        writer.body(block)
    writer.branches.pop()
    return inner


@handles("yield")
def _yield(writer: Writer, op: Operation) -> None:
    branch, names = writer.branches[-1]
    moves: list[tuple[SSAValue, str | None, SSAValue]] = []
    for result, name, value in zip(branch.results, names, op.operands, strict=True):
        if name is None or writer.passed.get(result) is value:
            continue
        if not isinstance(result.type, TokenType):
            writer.values[result] = Expr(name, writer.names.mutable[name], reads=frozenset({name}))
        moves.append((result, name, value))
    assign_all(writer, moves)


@handles("return")
def _return(writer: Writer, op: Operation) -> None:
    if operands(op, "operands"):
        raise Unsupported("FT304", "a kernel that returns values has no Rust form")
    parent = op.parent_op()
    if parent is not None and row(parent).name in ("for", "loop"):
        raise Unsupported("FT304", "a `return` inside a loop has no Rust form")


def _early(writer: Writer, op: Operation, condition: Expr, then: IrBlock, other: IrBlock) -> bool:
    """`if c { .. return }`: what follows moves into the other branch, after which the kernel must end."""
    block = op.parent_block()
    if block is None or not _ends_kernel(writer, block):
        raise Unsupported("FT304", "a `return` inside a loop, or in a branch that more follows, has no Rust form")
    stays = other if _leaves(then) else then
    bodies: list[Block] = []
    writer.early.append(op)
    for branch in (then, other):
        with writer.nested(op) as body:
            if branch is stays and not _leaves(branch):
                if not _go_on(writer, op, branch):
                    _follow(writer, op, branch)
            else:
                writer.branches.append((op, []))
                writer.body(branch)
                writer.branches.pop()
        bodies.append(body)
    writer.early.remove(op)
    if bodies[0].items:
        _nest_if(writer, condition, bodies)
    else:
        writer.block.nest(f"if {_negated(condition)}", bodies[1])
    return True


def _follow(writer: Writer, op: Operation, stays: IrBlock) -> None:
    """Write all that follows a branch of which one block left: the rest of its block, and what follows that."""
    block = op.parent_block()
    assert block is not None
    _give_results(writer, op, stays)
    writer.until = float("inf")
    if writer.body(block, op.next_op):  # type: ignore[arg-type]
        return
    parent = block.parent_op()
    if parent is not None and parent in writer.early:
        last = writer.branches.pop()
        _follow(writer, parent, block)
        writer.branches.append(last)


def _ends_kernel(writer: Writer, block: IrBlock) -> bool:
    """Whether what follows a block is written with it, or the kernel ends there."""
    parent = block.parent_op()
    if parent is None or row(parent).name == "entry" or parent in writer.early:
        return True
    if row(parent).name != "if" or parent.results or parent.next_op is None:
        return False
    around = parent.parent_block()
    return around is not None and parent.next_op is around.last_op and _ends_kernel(writer, around)


def _negated(condition: Expr) -> str:
    return f"{condition.at(Level.XOR)} ^ true"
