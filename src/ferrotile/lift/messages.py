"""Handlers for what a kernel says and waits for: assertions, printing, programmatic launches, fences."""

from __future__ import annotations

import json

from xdsl.ir import Operation

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, result, row
from ferrotile.lift.declare import declared
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
    values = operands(op, "args")
    if len(values) != 1:
        _print_several(writer, op)
        return
    value = writer.named(writer.tile(values[0]), values[0])
    token = token_of(writer, op)
    waits = f"Some({token})" if token is not None else "None"
    finish_store(
        writer, op, f"print_tko({rust_text(attribute(op, 'str'))}, {value.text}, {waits})", is_awaited(writer, op)
    )


def _print_several(writer: Writer, op: Operation) -> None:
    """The function `print_tko` of cutile 0.5.0 prints one value, so the kernel declares one that prints more.

    Without `cuda_tile.` before its name it is compiled as any operation (compiler/compile_cuda_tile_op.rs,
    `try_compile_cuda_tile_special_op`). Its text is part of the declaration, as `str=TEXT`.
    Raises: FT302 for a text with `=`, behind which cutile would cut it off.
    """
    text = rust_text(f"str={attribute(op, 'str')}")
    if "=" in attribute(op, "str"):
        hint = "Print one value a call, or leave the `=` out."
        raise Unsupported("FT302", "cutile 0.5.0 cuts off a text of several values at `=`", hint=hint)
    values = [writer.named(writer.tile(value), value) for value in operands(op, "args")]
    token = token_of(writer, op)
    names = [f"value_{number}" for number in range(len(values))]
    parameters = [f"{name}: {value.type}" for name, value in zip(names, values, strict=True)]
    given = [value.text for value in values]
    if token is not None:
        names, parameters, given = [*names, "token"], [*parameters, "token: Token"], [*given, token]
    operation = f'name = "print_tko", since = "V13_2", params = {json.dumps(names)}, named_attributes = [{text}]'
    function = declared(
        writer,
        "print_values",
        f"/// Print values in the order of tokens.\n#[cuda_tile::op({operation})]\n"
        "#[allow(dead_code, unused_variables)]\n"
        f"fn {{name}}({', '.join(parameters)}) -> Token {{ unreachable!() }}",
    )
    finish_store(writer, op, f"{function}({', '.join(given)})", is_awaited(writer, op))


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
