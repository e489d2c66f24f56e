"""Handlers for tokens, and what all memory accesses share: binding results, hints, ordering.

An access whose order does not matter (its token is a fresh one and nobody waits for it) is written without a token.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, result
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.forms import marker
from ferrotile.lift.rust import Expr, Form, RustType, array

TOKEN = RustType(Form.TOKEN)


@handles("make_token")
def _make_token(writer: Writer, op: Operation) -> None:
    writer.tokens[op.results[0]] = None


@handles("join_tokens")
def _join_tokens(writer: Writer, op: Operation) -> None:
    names = list(dict.fromkeys(writer.tokens[value] or writer.fresh_token() for value in operands(op, "tokens")))
    bind_token(writer, op.results[0], names[0] if len(names) == 1 else f"join_tokens(&{array(names)})")


def bind_token(writer: Writer, value: SSAValue, text: str) -> None:
    """Give a token a variable, or assign the carried variable that it becomes."""
    if value in writer.targets:
        name = writer.targets[value]
        writer.assign(name, Expr(text, TOKEN))
    else:
        name = token_name(writer, value)
        writer.block.add(f"let {name}: Token = {text};")
    writer.tokens[value] = name


def alias_token(writer: Writer, value: SSAValue, source: SSAValue) -> None:
    """Let a token go by the variable of another for as long as it is needed; one that may be assigned gives a copy."""
    name = writer.tokens[source]
    if name in writer.names.mutable and writer.live.is_used(value):
        bind_token(writer, value, name)
        return
    writer.tokens[value] = name
    if name is not None:
        writer.names.hold(name, writer.live.last(value))


def token_name(writer: Writer, value: SSAValue) -> str:
    """A free name for a token."""
    wanted = writer.annotations.names.get(value, "token")
    return writer.names.take(wanted, writer.now, writer.live.last(value), reuse=True)


def token_of(writer: Writer, op: Operation) -> str | None:
    """The token that an access waits for; none when any order will do."""
    value = operand(op, "token")
    if value is None:
        return None
    return writer.tokens[value] or (writer.fresh_token() if writer.style.is_literal else None)


def is_awaited(writer: Writer, op: Operation) -> bool:
    return writer.live.is_used(result(op, "result_token"))


def bind_pair(writer: Writer, op: Operation, value: SSAValue, rust: RustType, text: str) -> None:
    """Bind the value and the token of an access."""
    token = result(op, "result_token")
    name = writer.names.take(writer.annotations.name(value), writer.now, writer.live.last(value), reuse=True)
    order = token_name(writer, token) if writer.live.is_used(token) else writer.names.take("_token", writer.now, -1)
    writer.in_order()
    writer.block.add(f"let ({name}, {order}): ({rust}, Token) = {text};")
    writer.values[value] = Expr(name, rust, reads=frozenset({name}))
    writer.tokens[token] = order
    target = writer.due_in(value, rust)
    if target is not None:
        writer.assign(target, writer.values[value])
        writer.values[value] = Expr(target, rust, reads=frozenset({target}))
    if token in writer.targets:
        writer.assign(writer.targets[token], Expr(order, TOKEN))
        writer.tokens[token] = writer.targets[token]


def stored_tile(writer: Writer, value: SSAValue, element: str) -> Expr:
    tile = writer.named(writer.tile(value), value)
    return writer.signed(tile, element.startswith("u"))


def finish_store(writer: Writer, op: Operation, text: str, awaited: bool) -> None:
    writer.in_order()
    if awaited:
        bind_token(writer, result(op, "result_token"), text)
    else:
        writer.block.add(f"{text};")


def access_hints(op: Operation) -> tuple[str, str]:
    """Latency and TMA of an access, as cutile takes them."""
    latency, tma = "None", "tma::Enabled"
    for _, entries in attribute(op, "optimization_hints") or ():
        for key, value in entries:
            if key == "latency":
                latency = f"Some({value})"
            elif key == "allow_tma":
                tma = "tma::Enabled" if value else "tma::Disabled"
            else:
                raise Unsupported("FT302", f"the hint `{key}` of a load or store has no Rust form")
    return latency, tma


def access_order(op: Operation) -> tuple[str, str]:
    order, scope = attribute(op, "memory_ordering_semantics"), attribute(op, "memory_scope")
    return marker("memory_ordering", order), marker("scope", scope) if scope is not None else "scope::TileBlock"
