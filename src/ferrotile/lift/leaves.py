"""Handlers for values that come from outside: entry parameters, block ids, constants, assumptions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ferrotile.core.errors import Unsupported, at
from ferrotile.ir import Bounded, DivBy, SameElements, attribute, operand, place, row
from ferrotile.ir.types import ScalarType, TileType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.parameters import Part, Scalar, Tensor, root_of
from ferrotile.lift.rust import SIGNED, Expr, Form, Level, RustType, shape_of

I32 = RustType(Form.SCALAR, "i32")

NUMPY: dict[str, np.dtype] = {
    "i1": np.dtype(np.bool_), "i8": np.dtype(np.int8), "i16": np.dtype(np.int16), "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64), "f16": np.dtype(np.float16), "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64), "bf16": np.dtype(ml_dtypes.bfloat16), "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2), "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
}  # fmt: skip
"""How the elements of a constant are read."""


def bind_parameters(writer: Writer, arguments: Sequence[BlockArgument], parts: Sequence[Part]) -> None:
    """Give every entry parameter the expression that reads it from its Rust parameter."""
    for argument, part in zip(arguments, parts, strict=True):
        writer.values[argument] = _part(part)


def _part(part: Part) -> Expr:
    parameter, role = part.parameter, part.role
    if isinstance(parameter, Scalar) and parameter.type.form is Form.POINTERS:
        return Expr(f"pointer_to_tile({parameter.name})", parameter.type, opaque=True)
    if isinstance(parameter, Scalar):
        return Expr(parameter.name, parameter.type, reads=frozenset({parameter.name}))
    return _tensor_part(parameter, role.kind, role.axis or 0)


def _tensor_part(tensor: Tensor, kind: str, axis: int) -> Expr:
    if kind == "pointer":
        return Expr(f"get_tensor_base({tensor.name})", RustType(Form.POINTERS, tensor.element), opaque=True)
    if kind == "shape":
        return extent_of(tensor, axis)
    return stride_of(tensor, axis)


def extent_of(tensor: Tensor, axis: int) -> Expr:
    """An extent of a parameter.

    `Tensor::shape` of cutile 0.5.0 counts only the axes whose extent is known at launch.
    """
    known = tensor.shape[axis]
    if known is not None:
        return Expr(f"{known}i32", I32, bare=str(known), cheap=True)
    if None not in tensor.shape or all(extent is None for extent in tensor.shape):
        return Expr(f"{tensor.name}.shape()[{axis}]", I32, cheap=True)
    position = sum(extent is None for extent in tensor.shape[:axis])
    return Expr(f"extents({tensor.name})[{position}]", I32, cheap=True)


def stride_of(tensor: Tensor, axis: int) -> Expr:
    """A stride of a parameter: a number, or read from the tensor, which holds those known only at launch."""
    known = tensor.strides[axis]
    if known is not None:
        return Expr(f"{known}i32", I32, bare=str(known), cheap=True)
    position = sum(stride is None for stride in tensor.strides[:axis])
    return Expr(f"strides({tensor.name})[{position}]", I32, cheap=True)


@handles("get_tile_block_id", "get_num_tile_blocks")
def _block_ids(writer: Writer, op: Operation) -> None:
    function = "get_tile_block_id" if row(op).name == "get_tile_block_id" else "get_num_tile_blocks"
    for axis, result in enumerate(op.results):
        if writer.live.is_used(result):
            writer.define(result, Expr(f"{function}().{axis}", I32), op)


@handles("assume")
def _assume(writer: Writer, op: Operation) -> None:
    """An assumption on a parameter is part of its specialization; elsewhere it is spelled out."""
    value, predicate = operand(op, "value"), attribute(op, "predicate")
    assert value is not None
    root = root_of(value)
    part = writer.recipes.part(root) if isinstance(root, BlockArgument) else None
    is_bound = predicate == Bounded(0, None)
    is_specialized = part is not None and _is_specialized(part, predicate)
    source = writer.expr(value)
    if part is not None and is_bound and source.type == I32 and (writer.style.is_literal or not is_specialized):
        expr = Expr(f"non_negative({source.text})", I32, reads=source.reads)
        writer.define(op.results[0], expr, op)
        return
    if is_specialized or (is_bound and _is_counter(root)):
        writer.alias(op.results[0], source, op)
        return
    call = _assumption(predicate, source.text)
    writer.unsafe_count += 1
    expr = Expr(f"unsafe {{ {call} }}", source.type, opaque=True, reads=source.reads)
    writer.define(op.results[0], expr, op)


def _is_specialized(part: Part, predicate: object) -> bool:
    """Whether the specialization of a parameter says what is assumed of it."""
    if isinstance(predicate, DivBy):
        return predicate.every is None
    return isinstance(part.parameter, Tensor) and predicate == Bounded(0, None)


def _is_counter(value: SSAValue) -> bool:
    """Whether a value is a block id, a grid size or a loop index, which is never negative or says its own start."""
    owner = value.owner
    if isinstance(owner, Operation):
        return row(owner).name in ("get_tile_block_id", "get_num_tile_blocks")
    return isinstance(value, BlockArgument) and value.index == 0 and _is_for_body(owner)


def _is_for_body(block: Block) -> bool:
    parent = block.parent_op()
    return parent is not None and row(parent).name == "for"


def _assumption(predicate: object, text: str) -> str:
    match predicate:
        case DivBy(divisor=divisor, every=None, along=None):
            return f"assume_div_by::<_, {divisor}>({text})"
        case Bounded(lb=int() as low, ub=None):
            return f"assume_bounds_lower::<_, {low}>({text})"
        case Bounded(lb=None, ub=int() as high):
            return f"assume_bounds_upper::<_, {high}>({text})"
        case Bounded(lb=int() as low, ub=int() as high):
            return f"assume_bounds::<_, {low}, {high}>({text})"
        case SameElements(values=values):
            return f"assume_same_elements_raw({text}, [{', '.join(f'{v}i64' for v in values)}])"
        case _:
            raise Unsupported("FT302", f"`assume` of `{predicate}` has no Rust form")


@handles("constant")
def _constant(writer: Writer, op: Operation) -> None:
    type_ = op.results[0].type
    assert isinstance(type_, TileType) and isinstance(type_.element, ScalarType)
    data: bytes = attribute(op, "value")
    number = splat_value(type_.element, type_.shape, data)
    element = SIGNED[type_.element.name]
    if type_.shape == () and element in ("bool", "i8", "i16", "i32", "i64", "f32", "f64"):
        scalar = literal(number, element)
        if scalar is not None:
            writer.values[op.results[0]] = scalar
            return
    fill_tile(writer, op, op)


def fill_tile(writer: Writer, op: Operation, constant: Operation) -> None:
    """Define the result of `op` as a tile of the one element of `constant`."""
    source, type_ = constant.results[0].type, op.results[0].type
    assert isinstance(source, TileType) and isinstance(source.element, ScalarType) and isinstance(type_, TileType)
    rust = RustType(Form.TILE, SIGNED[source.element.name], type_.shape)
    with at(place(constant)):
        number = splat_value(source.element, source.shape, attribute(constant, "value"))
        expr = filled(writer, number, rust, source.element)
    writer.define(op.results[0], replace(expr, is_operand=expr.opaque), op)


def splat_value(element: ScalarType, shape: tuple[int, ...], data: bytes) -> Any:
    """The one value of a constant.

    Raises: FT303 when its elements differ, or when its element type has no numbers here.
    """
    dtype = NUMPY.get(element.name)
    if dtype is None:
        raise Unsupported("FT303", f"a constant of `{element.name}` has no Rust form")
    values = np.frombuffer(data, dtype=np.uint8) != 0 if element.name == "i1" else np.frombuffer(data, dtype=dtype)
    if len(values) == 0 or any(
        data[: dtype.itemsize] != data[i : i + dtype.itemsize] for i in range(0, len(data), dtype.itemsize)
    ):
        raise Unsupported("FT303", f"a constant of {math.prod(shape)} different elements has no Rust form")
    return values[0]


LARGEST_LITERAL = (1 << 31) - 1
"""cutile 0.5.0 panics on a larger number that is an expression of its own, whatever its type."""


def literal(number: Any, element: str) -> Expr | None:
    """A Rust literal; none for a number that no literal spells."""
    type_ = RustType(Form.SCALAR, element)
    if element == "bool":
        return Expr("true" if number else "false", type_, cheap=True)
    if element[0] in "iu":
        if abs(int(number)) > LARGEST_LITERAL:
            return None
        text = str(int(number))
        level = Level.UNARY if text.startswith("-") else Level.ATOM
        return Expr(f"{text}{element}", type_, level, bare=text if element == "i32" else None, cheap=True)
    text = float_text(number)
    if text is None or "::" in text:
        return None
    level = Level.UNARY if text.startswith("-") else Level.ATOM
    return Expr(f"{text}{element}", type_, level, cheap=True)


def float_text(number: Any) -> str | None:
    """A decimal that reads back to exactly this number; none for a NaN."""
    value = float(number)
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "::NEG_INFINITY" if value < 0 else "::INFINITY"
    short = (
        np.format_float_positional(number, unique=True, trim="0")
        if 1e-5 < abs(value) < 1e16 or not value
        else str(number)
    )
    text = short if type(number)(float(short)) == number else repr(value)
    return text if any(mark in text for mark in ".en") else text + ".0"


def filled(writer: Writer, number: Any, type_: RustType, element: ScalarType) -> Expr:
    """A tile of one number, a Python one or of the element's own type."""
    if isinstance(number, int) and element.name in NUMPY:
        number = NUMPY[element.name].type(number)
    shape = shape_of(type_.shape)
    if type_.element == "bool":
        return Expr(f"mask_of({int(number)}, {shape})", type_)
    if element.is_integer:
        return Expr(f"constant({int(number)}{type_.element}, {shape})", type_, opaque=True)
    text = float_text(number)
    if text is None or element.bits == 8:
        return _bits(writer, number, type_)
    if text.startswith("::") and type_.element == "bf16":
        return Expr(f"constant_from(f64{text}, {shape})", type_, opaque=True)
    if text.startswith("::"):
        return Expr(f"constant({type_.element}{text}, {shape})", type_, opaque=True)
    if type_.element in ("f32", "f64"):
        return Expr(f"constant({text}{type_.element}, {shape})", type_, opaque=True)
    if type_.element in ("f16", "bf16"):
        return Expr(f"constant_from({text}, {shape})", type_, opaque=True)
    raise Unsupported("FT303", f"a constant of `{element.name}` has no Rust form")


def _bits(writer: Writer, number: Any, type_: RustType) -> Expr:
    """A number that no literal of its type spells: an integer of the same bits, cast."""
    width = f"i{8 * number.dtype.itemsize}"
    bits = int.from_bytes(number.tobytes(), "little", signed=True)
    shape = shape_of(type_.shape)
    text = float_text(number)
    if text is not None:
        writer.block.add(f"// the bits of {text.removeprefix('::')}")
    source = writer.stable(Expr(f"constant({bits}{width}, {shape})", type_.of(width), opaque=True), stem="bits")
    return Expr(f"bitcast({source.text})", type_, opaque=True, reads=source.reads)
