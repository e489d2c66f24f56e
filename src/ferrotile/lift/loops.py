"""Handlers for loops. Carried values are mutable variables.

A value that the body computes for the next round is assigned where it is computed when nothing reads the old one
afterwards, as the Python author wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.ir import Block as IrBlock
from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, row
from ferrotile.ir.enums import Signedness
from ferrotile.ir.types import TokenType
from ferrotile.lift.definers import constant_of
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.exits import is_carried, is_left
from ferrotile.lift.rust import Block, Expr, Form, Level, RustType
from ferrotile.lift.tokens import TOKEN, alias_token


@handles("for")
def _for(writer: Writer, op: Operation) -> None:
    if attribute(op, "unsignedCmp"):
        hint = "compare as signed numbers; bounds that need their top bit have no Rust form"
        raise Unsupported("FT304", "a loop with an unsigned bound has no Rust form", hint=hint)
    if _has_no_round(op):
        _left_out(writer, op)
        return
    body = op.regions[0].block
    induction, carried = body.args[0], body.args[1:]
    names = _declare(writer, op, carried)
    writer.in_order()
    bounds = [
        writer.scalar(value) for value in (_bound(op, "lowerBound"), _bound(op, "upperBound"), _bound(op, "step"))
    ]
    wanted = writer.annotations.name(induction)
    name = wanted if writer.live.is_used(induction) else f"_{wanted}"
    name = writer.names.take(name, writer.now, writer.live.end[op], reuse=True)
    type_ = RustType(Form.SCALAR, bounds[0].type.element)
    writer.values[induction] = Expr(name, type_, reads=frozenset({name}))
    inner = _inside(writer, body, carried, names)
    if writer.style.assumes_nothing:
        low, high = (f"number({b.bare})" if b.bare is not None else _side(b) for b in bounds[:2])
    else:
        low, high = _first(bounds, name, inner), _side(bounds[1])
    head = f"{low}..{high}"
    if bounds[2].bare != "1":
        step = bounds[2].bare or f"{bounds[2].at(Level.CAST)} as usize"
        head = f"({head}).step_by({step})"
    writer.block.nest(f"for {name} in {head}", inner)
    _results(writer, op, names)


def _first(bounds: Sequence[Expr], counter: str, body: Block) -> str:
    """The start of a range, with its type where cutile takes that from nothing else: not from a call in the end."""
    given = re.compile(rf"\b(tile_of|floor_mod|floor_div)\({counter}[,)]")
    is_call = not bounds[1].text.isidentifier() and any(given.search(line) for line in body.items)
    return bounds[0].text if bounds[1].bare is not None or is_call else _side(bounds[0])


def _has_no_round(op: Operation) -> bool:
    """Whether the bounds are known and allow no round: cutile 0.5.0 drops such a loop, or assumes the impossible."""
    first, end = (_known(_bound(op, name)) for name in ("lowerBound", "upperBound"))
    return first is not None and end is not None and first >= end


def _known(value: SSAValue) -> int | None:
    """The number that a bound is; the front end splits loops at the smaller or larger of two."""
    found = constant_of(value)
    owner = value.owner
    if found is not None or not isinstance(owner, Operation) or row(owner).name not in ("mini", "maxi"):
        return found
    sides = [_known(side) for side in owner.operands]
    if None in sides or attribute(owner, "signedness") is not Signedness.Signed:
        return None
    return (min if row(owner).name == "mini" else max)(side for side in sides if side is not None)


def _left_out(writer: Writer, op: Operation) -> None:
    """Go on with what a loop without a round would have carried."""
    for start, result in zip(operands(op, "initValues"), op.results, strict=True):
        if isinstance(start.type, TokenType):
            alias_token(writer, result, start)
        else:
            writer.alias(result, writer.expr(start), op)


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
        message = "a loop whose results differ from its carried values has no Rust form"
        raise Unsupported("FT304", message, hint="carry what `break` gives from round to round")
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
            name = _continued(writer, result, start, held, until)
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
            name = _continued(writer, result, start, initial, until)
            if name is None:
                name = writer.names.take(wanted, writer.now, until)
                writer.block.add(f"let mut {name}: {initial.type} = {initial.text};")
                writer.names.mutable[name] = initial.type
            writer.values[argument] = Expr(name, initial.type, reads=frozenset({name}))
        names.append(name)
    return names


def _continued(writer: Writer, result: SSAValue, start: SSAValue, initial: Expr, until: float) -> str | None:
    """The mutable variable that holds a first value nobody else needs: the loop goes on with it."""
    op = result.owner
    if initial.text not in writer.names.mutable or writer.names.mutable[initial.text] != initial.type:
        return None
    if writer.live.users(start) != [op] or writer.live.use_count(start) != 1:
        return None
    if is_left(op.parent_op()) and not is_carried(writer, initial.text):
        return None
    if not writer.may_go_on(initial.text, start, result):
        return None
    writer.names.hold(initial.text, until)
    return initial.text


def _inside(writer: Writer, body: IrBlock, carried: Sequence[SSAValue], names: Sequence[str | None]) -> Block:
    """Write a loop body."""
    terminator, op = body.last_op, body.parent_op()
    assert terminator is not None and op is not None
    if row(terminator).name == "continue":
        _aim(writer, body, carried, terminator, names)
    writer.loops.append((list(carried), list(names)))
    writer.before_loops.append({})
    with writer.nested(op) as inner:
        writer.body(body)
    writer.loops.pop()
    for line in writer.before_loops.pop().values():
        writer.block.add("#[allow(unused_assignments)]")
        writer.block.add(line)
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
    is_token = isinstance(result.type, TokenType)
    name = writer.due_in(result, TOKEN if is_token else writer.values[result].type)
    if name is None:
        return
    if is_token:
        writer.assign(name, Expr(writer.tokens[result] or "new_token_unordered()", TOKEN))
        writer.tokens[result] = name
    elif writer.values[result].text != name:
        writer.assign(name, writer.values[result])
        writer.values[result] = Expr(name, writer.values[result].type, reads=frozenset({name}))


@handles("continue")
def _continue(writer: Writer, op: Operation) -> None:
    carried, names = writer.loops[-1]
    assign_all(writer, list(zip(carried, names, op.operands, strict=True)))
    block = op.parent_block()
    parent = block.parent_op() if block is not None else None
    if parent is not None and row(parent).name == "if":
        writer.block.add("continue;")


@handles("break")
def _break(writer: Writer, op: Operation) -> None:
    carried, names = writer.loops[-1]
    assign_all(writer, list(zip(carried, names, op.operands, strict=True)))
    writer.block.add("break;")


def assign_all(writer: Writer, moves: Sequence[tuple[SSAValue, str | None, SSAValue]]) -> None:
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
