"""Handlers for what a kernel says and waits for: assertions, printing, programmatic launches, fences."""

from __future__ import annotations

import json

from xdsl.ir import Operation

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, result, row
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.tokens import finish_store, is_awaited, token_of


@handles("assert")
def _assert(writer: Writer, op: Operation) -> None:
    condition = operand(op, "condition")
    assert condition is not None
    text = writer.named(writer.expr(condition), condition).text
    writer.in_order()
    writer.block.add(f"cuda_tile_assert!({text}, {rust_text(attribute(op, 'message'))});")


@handles("print_tko")
def _print(writer: Writer, op: Operation) -> None:
    """cutile 0.5.0 prints one value a call."""
    values = operands(op, "args")
    if len(values) != 1:
        raise Unsupported("FT302", f"cutile 0.5.0 prints one value a call, this prints {len(values)}")
    value = writer.named(writer.tile(values[0]), values[0])
    token = token_of(writer, op)
    waits = f"Some({token})" if token is not None else "None"
    finish_store(
        writer, op, f"print_tko({rust_text(attribute(op, 'str'))}, {value.text}, {waits})", is_awaited(writer, op)
    )


@handles("gdc_wait_tko", "gdc_launch_dependents_tko")
def _launch_order(writer: Writer, op: Operation) -> None:
    token = token_of(writer, op)
    writer.unsafe_count += 1
    call = f"{row(op).name}({'None' if token is None else f'Some({token})'})"
    finish_store(writer, op, f"unsafe {{ {call} }}", is_awaited(writer, op))


@handles("memory_fence_alias_tko")
def _fence(writer: Writer, op: Operation) -> None:
    token = token_of(writer, op) or writer.fresh_token()
    writer.unsafe_count += 1
    finish_store(
        writer, op, f"unsafe {{ memory_fence_alias_tko({token}) }}", writer.live.is_used(result(op, "result_token"))
    )


def rust_text(text: str) -> str:
    """A Rust string literal.

    Raises: FT302 for a text with characters that Rust and Tile IR spell differently.
    """
    if not text.isascii() or "\x00" in text:
        raise Unsupported("FT302", "a message that is not ASCII has no Rust form")
    return json.dumps(text)
