"""Handlers for operations that move elements."""

from __future__ import annotations

from xdsl.ir import Operation

from ferrotile.ir import attribute, operand, operands
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.leaves import fill_tile
from ferrotile.lift.recipes import Filled
from ferrotile.lift.remainders import FloorRemainder
from ferrotile.lift.rust import Expr, Form, Level, RustType, array, rust_type, shape_of


def _typed(op: Operation, source: Expr) -> RustType:
    """The result's Rust type with the source's element."""
    type_ = rust_type(op.results[0].type)  # pyright: ignore[reportArgumentType]
    return type_.of(source.type.element)


@handles("reshape")
def _reshape(writer: Writer, op: Operation) -> None:
    if _fill(writer, op):
        return
    value = operand(op, "source")
    assert value is not None
    source = writer.expr(value)
    type_ = _typed(op, source)
    if source.type.form is Form.SCALAR and writer.style.is_literal:
        text = f"tile_of({source.text}).reshape({shape_of(type_.shape)})"
        expr = Expr(text, type_, reads=source.reads)
    elif source.type.form is Form.SCALAR:
        text = f"broadcast_scalar({source.text}, {shape_of(type_.shape)})"
        expr = Expr(text, type_, reads=source.reads, lanes_of=source, cheap=source.cheap)
    elif type_.shape == source.type.shape:
        writer.alias(op.results[0], source, op)
        return
    else:
        source = writer.stable(source, value)
        text = f"{source.at(Level.ATOM)}.reshape({shape_of(type_.shape)})"
        expr = Expr(text, type_, reads=source.reads, opaque=type_.form is Form.POINTERS)
    writer.define(op.results[0], expr, op)


def _fill(writer: Writer, op: Operation) -> bool:
    """Write a constant in the shape that it is brought to."""
    recipe = writer.recipes.of.get(op)
    if not isinstance(recipe, Filled):
        return False
    fill_tile(writer, op, recipe.constant)
    return True


@handles("broadcast")
def _broadcast(writer: Writer, op: Operation) -> None:
    if _fill(writer, op):
        return
    value = operand(op, "source")
    assert value is not None
    source = writer.expr(value)
    type_ = _typed(op, source)
    if type_.shape == source.type.shape:
        writer.alias(op.results[0], source, op)
        return
    if source.lanes_of is not None:
        lanes = source.lanes_of
        expr = Expr(f"broadcast_scalar({lanes.text}, {shape_of(type_.shape)})", type_, reads=lanes.reads)
    else:
        source = writer.stable(source, value)
        text = f"{source.at(Level.ATOM)}.broadcast({shape_of(type_.shape)})"
        expr = Expr(text, type_, reads=source.reads, opaque=type_.form is Form.POINTERS)
    writer.define(op.results[0], expr, op)


@handles("permute")
def _permute(writer: Writer, op: Operation) -> None:
    value = operand(op, "source")
    assert value is not None
    source = writer.stable(writer.expr(value), value)
    type_, order = _typed(op, source), attribute(op, "permutation")
    if order == (1, 0):
        expr = Expr(f"{source.at(Level.ATOM)}.transpose()", type_, reads=source.reads)
    else:
        expr = Expr(f"permute({source.text}, const_array!{array(order)})", type_, opaque=True, reads=source.reads)
    writer.define(op.results[0], expr, op)


@handles("extract")
def _extract(writer: Writer, op: Operation) -> None:
    value = operand(op, "source")
    assert value is not None
    source = writer.stable(writer.expr(value), value)
    indices = [writer.tile(index) for index in operands(op, "indices")]
    text = f"extract({source.text}, {array(index.text for index in indices)})"
    reads = source.reads.union(*(index.reads for index in indices))
    writer.define(op.results[0], Expr(text, _typed(op, source), opaque=True, reads=reads), op)


@handles("insert")
def _insert(writer: Writer, op: Operation) -> None:
    """Only indices inside the grid of tiles are defined, as in the reference."""
    names = ("source", "destination")
    values = [value for name in names if (value := operand(op, name)) is not None]
    source, target = (writer.stable(writer.tile(value), value) for value in values)
    indices = [writer.tile(index) for index in operands(op, "indices")]
    text = f"unsafe {{ insert({source.text}, {target.text}, {array(index.text for index in indices)}) }}"
    writer.unsafe_count += 1
    reads = source.reads.union(target.reads, *(index.reads for index in indices))
    writer.define(op.results[0], Expr(text, _typed(op, target), opaque=True, reads=reads, heavy=True), op)


@handles("select")
def _select(writer: Writer, op: Operation) -> None:
    recipe = writer.recipes.of.get(op)
    if not isinstance(recipe, FloorRemainder):
        writer.plain(op)
        return
    lhs, rhs = (writer.signed(writer.expr(value), False) for value in recipe.leaves)
    if lhs.type.form is Form.SCALAR and rhs.type.form is Form.SCALAR and lhs.type.element == "i32":
        expr = Expr(f"floor_mod({lhs.text}, {rhs.text})", lhs.type, reads=lhs.reads | rhs.reads)
    else:
        pair = [writer.signed(writer.stable(writer.tile(value), value), False) for value in recipe.leaves]
        text = f"floor_mod_tile({pair[0].text}, {pair[1].text})"
        type_ = rust_type(op.results[0].type).of(pair[0].type.element)  # pyright: ignore[reportArgumentType]
        expr = Expr(text, type_, reads=pair[0].reads | pair[1].reads)
    writer.define(op.results[0], expr, op)
