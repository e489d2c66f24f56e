"""Handlers for operations that move elements, and for reductions and scans."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import FloatAttr, IntAttr, attribute, operand, operands, row
from ferrotile.ir.enums import IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.types import ScalarType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.leaves import fill_tile
from ferrotile.lift.recipes import Filled, FloorRemainder
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


REDUCTIONS = {
    "addf": ("reduce_sum", 0.0), "addi": ("reduce_sum", 0), "mulf": ("reduce_prod", 1.0), "muli": ("reduce_prod", 1),
    "maxf": ("reduce_max", float("-inf")), "minf": ("reduce_min", float("inf")),
    "maxi": ("reduce_max", None), "mini": ("reduce_min", None),
}  # fmt: skip
"""Combining operation -> the function of cutile that reduces with it, and the identity that it writes."""

REDUCIBLE = frozenset({"f16", "bf16", "f32", "f64", "i32", "i64"})


@handles("reduce", "scan")
def _reduce(writer: Writer, op: Operation) -> None:
    name, dim = row(op).name, attribute(op, "dim")
    sources = operands(op, "operands")
    combine = _combining(op)
    if len(sources) != 1 or combine is None:
        raise Unsupported("FT305", f"`{name}` with a combining function of its own has no Rust form")
    value = sources[0]
    source = writer.stable(writer.tile(value), value)
    function, identity = REDUCTIONS[combine[0]]
    element = source.type.element
    if not _is_identity(attribute(op, "identities")[0], identity, combine[0], combine[1]):
        raise Unsupported("FT305", f"`{name}` starts from another value than cutile 0.5.0 writes for `{function}`")
    if rust_element(value) not in REDUCIBLE:
        raise Unsupported("FT305", f"cutile 0.5.0 does not reduce tiles of `{element}`")
    source = writer.signed(source, combine[1] is Signedness.Unsigned)
    type_ = _typed(op, source)
    if name == "reduce":
        expr = Expr(f"{function}({source.text}, {dim})", type_, opaque=True, reads=source.reads)
    else:
        expr = _scan(op, function, source, type_, dim)
    writer.define(op.results[0], expr, op)


def _scan(op: Operation, function: str, source: Expr, type_: RustType, dim: int) -> Expr:
    if function != "reduce_sum" or dim != 0:
        raise Unsupported("FT305", f"a scan of `{function.removeprefix('reduce_')}` along axis {dim} has no Rust form")
    direction = "reverse::Reverse" if attribute(op, "reverse") else "reverse::Forward"
    zero = "0.0" if type_.element.startswith(("f", "b")) else "0"
    text = f"scan_sum({source.text}, 0, {direction}, {zero}{type_.element})"
    return Expr(text, type_, opaque=True, reads=source.reads)


def rust_element(value: SSAValue) -> str:
    """The signed Rust element of a tile."""
    return rust_type(value.type).element  # pyright: ignore[reportArgumentType]


def _combining(op: Operation) -> tuple[str, Signedness | None] | None:
    """The one operation that the body applies to its two arguments in order, without any modifier."""
    block = op.regions[0].block
    body = list(block.ops)
    if len(body) != 2 or len(block.args) != 2 or tuple(body[0].operands) != tuple(block.args):
        return None
    name = row(body[0]).name
    if name not in REDUCTIONS or tuple(body[1].operands) != (body[0].results[0],):
        return None
    plain = {RoundingMode.NEAREST_EVEN, IntegerOverflow.NONE, False, Signedness.Signed, Signedness.Unsigned}
    if any(attribute(body[0], field.name) not in plain for field in row(body[0]).attributes):
        return None
    return name, (attribute(body[0], "signedness") if "signedness" in row(body[0]).field else None)


def _is_identity(given: FloatAttr | IntAttr, wanted: float | None, combine: str, sign: Signedness | None) -> bool:
    if isinstance(given, IntAttr):
        assert isinstance(given.type, ScalarType)
        return given.value == (_extreme(given.type.bits, combine, sign) if wanted is None else wanted)
    return wanted is not None and given.bits == float_bits(wanted, given.type)


def _extreme(bits: int, combine: str, sign: Signedness | None) -> int:
    if sign is Signedness.Unsigned:
        return 0 if combine == "maxi" else -1
    return -(1 << bits - 1) if combine == "maxi" else (1 << bits - 1) - 1


def float_bits(number: float, type_: object) -> int:
    """The bits of a number in a float type."""
    from ferrotile.lift.leaves import NUMPY

    assert isinstance(type_, ScalarType)
    dtype = NUMPY[type_.name]
    return int.from_bytes(dtype.type(number).tobytes(), "little")
