"""Handlers for loops and branches. Carried values are mutable variables; a branch's results too.

A value that the body computes for the next round is assigned where it is computed when nothing reads the old one
afterwards, as the Python author wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block as IrBlock
from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, row
from ferrotile.ir.types import TokenType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.rust import Block, Expr, Form, Level, RustType, rust_type, shape_of
from ferrotile.lift.tokens import TOKEN, token_name


@handles("for")
def _for(writer: Writer, op: Operation) -> None:
    if attribute(op, "unsignedCmp"):
        raise Unsupported("FT304", "a loop with an unsigned bound has no Rust form")
    body = op.regions[0].block
    induction, carried = body.args[0], body.args[1:]
    names = _declare(writer, op, carried)
    writer.in_order()
    bounds = [
        writer.scalar(value) for value in (_bound(op, "lowerBound"), _bound(op, "upperBound"), _bound(op, "step"))
    ]
    name = writer.names.take(writer.annotations.name(induction), writer.now, writer.live.end[op])
    type_ = RustType(Form.SCALAR, bounds[0].type.element)
    writer.values[induction] = Expr(name, type_, reads=frozenset({name}))
    inner = _inside(writer, body, carried, names)
    if writer.style.assumes_nothing:
        low, high = (f"number({b.bare})" if b.bare is not None else _side(b) for b in bounds[:2])
    else:
        low, high = bounds[0].text if bounds[1].bare is not None else _side(bounds[0]), _side(bounds[1])
    head = f"{low}..{high}"
    if bounds[2].bare != "1":
        step = bounds[2].bare or f"{bounds[2].at(Level.CAST)} as usize"
        head = f"({head}).step_by({step})"
    writer.block.nest(f"for {name} in {head}", inner)
    _results(writer, op, names)


def _side(bound: Expr) -> str:
    return bound.bare if bound.bare is not None else bound.at(Level.SUM)


def _bound(op: Operation, name: str) -> SSAValue:
    value = operand(op, name)
    assert value is not None
    return value


@handles("loop")
def _loop(writer: Writer, op: Operation) -> None:
    body = op.regions[0].block
    if [a.type for a in body.args] != [r.type for r in op.results]:
        raise Unsupported("FT304", "a loop whose results differ from its carried values has no Rust form")
    names = _declare(writer, op, body.args)
    writer.in_order()
    inner = _inside(writer, body, body.args, names)
    writer.block.nest("loop", inner)
    _results(writer, op, names)


def _declare(writer: Writer, op: Operation, carried: Sequence[SSAValue]) -> list[str | None]:
    """Declare the variables that a loop carries."""
    names: list[str | None] = []
    for argument, start, result in zip(carried, operands(op, "initValues"), op.results, strict=True):
        until = max(writer.live.end[op], writer.live.last(result))
        wanted = writer.annotations.name(argument)
        if isinstance(start.type, TokenType):
            held = Expr(writer.tokens[start] or "", TOKEN)
            name = _continued(writer, op, start, held, until)
            if name is not None:
                writer.tokens[argument] = name
                names.append(name)
                continue
            name = writer.names.take(writer.annotations.names.get(argument, "token"), writer.now, until)
            initial = writer.tokens[start] or "new_token_unordered()"
            writer.block.add(f"let mut {name}: Token = {initial};")
            writer.tokens[argument] = name
            writer.names.mutable[name] = TOKEN
        else:
            initial = writer.expr(start)
            name = _continued(writer, op, start, initial, until)
            if name is None:
                name = writer.names.take(wanted, writer.now, until)
                writer.block.add(f"let mut {name}: {initial.type} = {initial.text};")
                writer.names.mutable[name] = initial.type
            writer.values[argument] = Expr(name, initial.type, reads=frozenset({name}))
        names.append(name)
    return names


def _continued(writer: Writer, op: Operation, start: SSAValue, initial: Expr, until: int) -> str | None:
    """The mutable variable that holds a first value nobody else needs: the loop goes on with it."""
    if initial.text not in writer.names.mutable or writer.names.mutable[initial.text] != initial.type:
        return None
    if writer.live.users(start) != [op] or writer.live.use_count(start) != 1:
        return None
    writer.names.hold(initial.text, until)
    return initial.text


def _inside(writer: Writer, body: IrBlock, carried: Sequence[SSAValue], names: Sequence[str | None]) -> Block:
    """Write a loop body."""
    terminator = body.last_op
    assert terminator is not None
    outer = writer.block
    writer.block = Block()
    if row(terminator).name == "continue":
        _aim(writer, body, carried, terminator, names)
    waiting = writer.pending
    writer.pending = dict(waiting)
    writer.loops.append((list(carried), list(names)))
    writer.body(body)
    writer.loops.pop()
    writer.pending = {value: expr for value, expr in waiting.items() if value in writer.pending}
    inner, writer.block = writer.block, outer
    return inner


def _aim(
    writer: Writer, body: IrBlock, carried: Sequence[SSAValue], terminator: Operation, names: Sequence[str | None]
) -> None:
    """Choose the values that may be assigned to their carried variable where they are computed."""
    for argument, value, name in zip(carried, terminator.operands, names, strict=True):
        owner = value.owner
        if name is None or not isinstance(owner, Operation) or owner.parent_block() is not body:
            continue
        if value in writer.targets or sum(other is value for other in terminator.operands) != 1:
            continue
        if _last_read(writer, argument, body, terminator) <= writer.live.start[owner]:
            writer.targets[value] = name


def _last_read(writer: Writer, argument: SSAValue, body: IrBlock, terminator: Operation) -> int:
    """Text position of the last operation of the body that reads the carried value."""
    last = -1
    for user in writer.live.users(argument):
        if user is terminator:
            return writer.live.start[terminator]
        while user.parent_block() is not body:
            parent = user.parent_op()
            assert parent is not None
            user = parent
        last = max(last, writer.live.start[user])
    return last


def _results(writer: Writer, op: Operation, names: Sequence[str | None]) -> None:
    for result, name, argument in zip(op.results, names, _carried(op), strict=True):
        if name is None:
            continue
        if isinstance(result.type, TokenType):
            writer.tokens[result] = name
        else:
            writer.values[result] = writer.values[argument]
        _deliver(writer, result)


def _carried(op: Operation) -> Sequence[SSAValue]:
    arguments = op.regions[0].block.args
    return arguments[1:] if row(op).name == "for" else arguments


def _deliver(writer: Writer, result: SSAValue) -> None:
    """Assign a result that is to become an outer carried variable."""
    name = writer.targets.get(result)
    if name is None:
        return
    if isinstance(result.type, TokenType):
        writer.assign(name, Expr(writer.tokens[result] or "new_token_unordered()", TOKEN))
        writer.tokens[result] = name
    elif writer.values[result].text != name:
        writer.assign(name, writer.values[result])
        writer.values[result] = Expr(name, writer.values[result].type, reads=frozenset({name}))


@handles("continue")
def _continue(writer: Writer, op: Operation) -> None:
    carried, names = writer.loops[-1]
    _assign_all(writer, list(zip(carried, names, op.operands, strict=True)))
    block = op.parent_block()
    parent = block.parent_op() if block is not None else None
    if parent is not None and row(parent).name == "if":
        writer.block.add("continue;")


@handles("break")
def _break(writer: Writer, op: Operation) -> None:
    carried, names = writer.loops[-1]
    _assign_all(writer, list(zip(carried, names, op.operands, strict=True)))
    writer.block.add("break;")


def _assign_all(writer: Writer, moves: Sequence[tuple[SSAValue, str | None, SSAValue]]) -> None:
    """Assign variables at once: one that another move still reads is saved first."""
    todo: list[tuple[str, Expr]] = []
    for variable, name, value in moves:
        if name is None or value is variable:
            continue
        if isinstance(value.type, TokenType):
            token = writer.tokens[value] or ""
            expr = Expr(token or "new_token_unordered()", TOKEN, reads=frozenset({token}))
        else:
            expr = _as(writer, value, writer.values[variable].type)
        if expr.text != name:
            todo.append((name, expr))
    while todo:
        free = next((m for m in todo if not any(m[0] in other[1].reads for other in todo if other is not m)), None)
        if free is None:
            name, expr = todo[0]
            saved = writer.names.take(f"next_{name}", writer.now, writer.now + 1)
            writer.block.add(f"let {saved}: {expr.type} = {expr.text};")
            todo[0] = (name, Expr(saved, expr.type, reads=frozenset({saved})))
            continue
        todo.remove(free)
        writer.assign(*free)


def _as(writer: Writer, value: SSAValue, type_: RustType) -> Expr:
    """A value in the form and signedness of the variable that takes it."""
    expr = writer.scalar(value) if type_.form is Form.SCALAR else writer.tile(value)
    if expr.type.element != type_.element:
        expr = writer.signed(writer.stable(expr, value), type_.element.startswith("u"))
    return expr


# -- branches ---------------------------------------------------------------------------------------------------------


@handles("if")
def _if(writer: Writer, op: Operation) -> bool:
    condition = writer.scalar(_bound(op, "condition"))
    writer.in_order()
    then, other = (region.block for region in op.regions)
    if _leaves(then) or _leaves(other):
        return _early(writer, op, condition, then, other)
    names = [_result_variable(writer, op, index) for index in range(len(op.results))]
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


def _nest_if(writer: Writer, condition: Expr, blocks: Sequence[Block]) -> None:
    if not blocks[1].items:
        writer.block.nest(f"if {condition.text}", blocks[0])
        return
    writer.block.nest(f"if {condition.text}", blocks[0], tail="} else {")
    writer.block.items.extend(blocks[1].items)
    writer.block.add("}")


def _leaves(block: IrBlock) -> bool:
    return block.last_op is not None and row(block.last_op).name == "return"


def _result_variable(writer: Writer, op: Operation, index: int) -> str | None:
    """The mutable variable that a branch's result becomes, holding the value of a branch that only passes one."""
    result = op.results[index]
    if not writer.live.is_used(result):
        return None
    yields = [_yielded(region.block, index) for region in op.regions]
    if result in writer.targets:
        name = writer.targets[result]
        if not isinstance(result.type, TokenType):
            writer.names.mutable.setdefault(name, _variable_type(writer, name, result))
        return name
    passed = next((v for v in yields[::-1] if v is not None and _is_outside(v, op)), None)
    until = writer.live.last(result)
    if passed is not None and (name := _passing(writer, op, passed, until)) is not None:
        writer.passed[result] = passed
        return name
    is_token = isinstance(result.type, TokenType)
    wanted = writer.annotations.names.get(result, "token") if is_token else writer.annotations.name(result)
    name = writer.names.take(wanted, writer.now, until)
    if isinstance(result.type, TokenType):
        initial = writer.tokens[passed] if passed is not None else None
        writer.block.add(f"let mut {name}: Token = {initial or 'new_token_unordered()'};")
        writer.names.mutable[name] = TOKEN
        return name
    if passed is not None:
        start = writer.expr(passed)
        writer.block.add(f"let mut {name}: {start.type} = {start.text};")
        writer.names.mutable[name] = start.type
        writer.passed[result] = passed
        return name
    type_ = _plain_type(result)
    writer.block.add(f"let mut {name}: {type_} = {_dummy(type_)};")
    writer.names.mutable[name] = type_
    return name


def _passing(writer: Writer, op: Operation, passed: SSAValue, until: int) -> str | None:
    """The mutable variable of a passed value that only the branches need: they assign it."""
    is_token = isinstance(passed.type, TokenType)
    if not all(_holds_op(op, user) for user in writer.live.users(passed)):
        return None
    name = (writer.tokens[passed] or "") if is_token else writer.values[passed].text
    type_ = TOKEN if is_token else writer.values[passed].type
    if writer.names.mutable.get(name) != type_:
        return None
    writer.names.hold(name, until)
    return name


def _holds_op(outer: Operation, inner: Operation) -> bool:
    """Whether `inner` stands inside `outer`."""
    parent = inner.parent_op()
    while parent is not None and parent is not outer:
        parent = parent.parent_op()
    return parent is outer


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
    outer, writer.block = writer.block, Block()
    waiting, writer.pending = writer.pending, dict(writer.pending)
    values, tokens = dict(writer.values), dict(writer.tokens)
    writer.branches.append((op, list(names)))
    writer.body(block)
    writer.branches.pop()
    writer.pending = {value: expr for value, expr in waiting.items() if value in writer.pending}
    inner, writer.block = writer.block, outer
    for value, expr in values.items():
        writer.values[value] = expr
    writer.tokens.update(tokens)
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
    _assign_all(writer, moves)


@handles("return")
def _return(writer: Writer, op: Operation) -> None:
    if operands(op, "operands"):
        raise Unsupported("FT304", "a kernel that returns values has no Rust form")


def _early(writer: Writer, op: Operation, condition: Expr, then: IrBlock, other: IrBlock) -> bool:
    """`if c { .. return }`: what follows moves into the other branch."""
    block = op.parent_block()
    parent = block.parent_op() if block is not None else None
    if parent is None or row(parent).name != "entry" or op.results:
        raise Unsupported("FT304", "a `return` inside a loop or a nested branch has no Rust form")
    stays = other if _leaves(then) else then
    bodies: list[Block] = []
    for branch in (then, other):
        outer, writer.block = writer.block, Block()
        writer.branches.append((op, []))
        writer.body(branch)
        writer.branches.pop()
        if branch is stays and not _leaves(branch):
            writer.body(block, op.next_op)  # type: ignore[arg-type]
        bodies.append(writer.block)
        writer.block = outer
    if bodies[0].items:
        _nest_if(writer, condition, bodies)
    else:
        writer.block.nest(f"if {_negated(condition)}", bodies[1])
    return True


def _negated(condition: Expr) -> str:
    return f"{condition.at(Level.XOR)} ^ true"


__all__ = ["token_name"]
