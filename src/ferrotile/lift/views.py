"""Handlers for views of arrays: the whole of a parameter, parts of one, and their partitions into tiles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ferrotile.ir import operand, operands
from ferrotile.ir.enums import PaddingValue
from ferrotile.ir.types import GatherScatterViewType, PartitionViewType, StridedViewType, TensorViewType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.forms import marker
from ferrotile.lift.parameters import Tensor
from ferrotile.lift.raising import is_only_stored_through, lent_through
from ferrotile.lift.rust import Expr, Form, RustType, array, shape_of


@handles("make_tensor_view")
def _make_tensor_view(writer: Writer, op: Operation) -> None:
    base, type_ = operand(op, "base"), op.results[0].type
    assert base is not None and isinstance(type_, TensorViewType)
    tensor = _parameter_view(writer, op)
    if tensor is not None:
        writer.values[op.results[0]] = Expr(tensor.name, tensor.type)
        return
    pointer = writer.stable(writer.expr(base), base)
    shape = _metadata(writer, "Shape", type_.shape, operands(op, "dynamicShape"))
    strides = _metadata(writer, "Array", type_.strides, operands(op, "dynamicStrides"))
    rust = RustType(Form.TENSOR, pointer.type.element, type_.shape)
    fresh = writer.names.take("unordered", writer.now, writer.now + 1)
    writer.block.add(f"let {fresh}: Token = new_token_unordered();")
    text = f"unsafe {{ make_tensor_view({pointer.text}, {shape}, {strides}, {fresh}) }}"
    writer.unsafe_count += 1
    name = writer.names.take(writer.annotations.name(op.results[0]), writer.now, writer.live.last(op.results[0]))
    writer.block.add(f"let {name}: {rust} = {text};")
    writer.values[op.results[0]] = Expr(f"&{name}", rust)


def _metadata(writer: Writer, kind: str, known: Sequence[int | None], given: Sequence[SSAValue]) -> str:
    """Declare the shape or strides of a view: the compiler wants them typed, in a variable."""
    dims = array("-1" if extent is None else extent for extent in known)
    type_ = f"{kind}<{{ {dims} }}>"
    values = array(writer.scalar(value).text for value in given)
    name = writer.names.take("view_shape" if kind == "Shape" else "view_strides", writer.now, writer.now + 1)
    writer.block.add(f"let {name}: {type_} = {kind}::<{{ {dims} }}> {{ dims: &{values} }};")
    return name


def _parameter_view(writer: Writer, op: Operation) -> Tensor | None:
    """The `Tensor` parameter that a view is the whole of."""
    base, type_ = operand(op, "base"), op.results[0].type
    part = writer.recipes.part(base) if base is not None else None
    if part is None or not isinstance(part.parameter, Tensor) or not isinstance(type_, TensorViewType):
        return None
    tensor = part.parameter
    if part.role.kind != "pointer" or tensor.shape != type_.shape or tensor.strides != type_.strides:
        return None
    for name, kind, known in (("dynamicShape", "shape", tensor.shape), ("dynamicStrides", "stride", tensor.strides)):
        axes = [axis for axis, extent in enumerate(known) if extent is None]
        for axis, value in zip(axes, operands(op, name), strict=True):
            found = writer.recipes.part(value)
            if found is None or found.parameter is not tensor or (found.role.kind, found.role.axis) != (kind, axis):
                return None
    return tensor


@handles("make_partition_view")
def _make_partition_view(writer: Writer, op: Operation) -> None:
    """A view that accesses share, or that carries hints or an order, gets a variable."""
    view, type_ = op.results[0], op.results[0].type
    tensor = operand(op, "tensor_view")
    assert isinstance(type_, PartitionViewType) and tensor is not None
    lent = lent_through(writer.recipes, op)
    if lent is not None and lent.tensor.is_lent and is_only_stored_through(op):
        return  # each store has a view of its own
    source = writer.expr(tensor)
    rust = RustType(Form.PARTITION, source.type.element, type_.tile_shape)
    name = declare_view(writer, source, type_, writer.annotations.name(view), writer.live.last(view))
    writer.values[view] = Expr(name, rust, reads=frozenset({name}))


def _view_text(writer: Writer, source: Expr, type_: PartitionViewType) -> str:
    shape, order = shape_of(type_.tile_shape), f"const_array!{array(type_.dim_map)}"
    receiver = source.text.removeprefix("&")
    match type_.padding, is_identity(type_):
        case PaddingValue.Zero, True:
            return f"{receiver}.partition({shape})"
        case PaddingValue.Zero, False:
            return f"{receiver}.partition_permuted({shape}, {order})"
        case None, True:
            return f"tiles({source.text}, {shape})"
        case None, False:
            return f"tiles_permuted({source.text}, {shape}, {order})"
        case padding, _:
            writer.unsafe_count += 1
            map_ = "dim_map::Identity" if is_identity(type_) else order
            pad = marker("padding", padding)
            return f"unsafe {{ make_partition_view({source.text}, {shape}, {pad}, {map_}, {receiver}.token()) }}"


@handles("make_strided_view", "make_gather_scatter_view")
def _make_other_view(writer: Writer, op: Operation) -> None:
    """Views of the lower-level module of cutile; their accesses are the raw ones."""
    view, type_, tensor = op.results[0], op.results[0].type, operand(op, "tensor_view")
    assert tensor is not None and isinstance(type_, StridedViewType | GatherScatterViewType)
    source = writer.expr(tensor)
    element, tile = source.type.element, array(type_.tile_shape)
    if isinstance(type_, StridedViewType):
        name = "make_strided_view"
        steps = f"{{ {array(type_.traversal_strides)} }}, {{ {array(type_.dim_map)} }}"
        spelled = f"StridedView<{element}, {{ {tile} }}, {steps}>"
    else:
        name = "make_gather_scatter_view"
        spelled = f"GatherScatterView<{element}, {{ {tile} }}, {type_.sparse_dim}>"
    padding = "padding::None" if type_.padding is None else marker("padding", type_.padding)
    held = writer.names.take(writer.annotations.name(view), writer.now, writer.live.last(view))
    call = f"{name}({source.text}, {shape_of(type_.tile_shape)}, {padding})"
    writer.block.add(f"let {held}: {spelled} = unsafe {{ {call} }};")
    writer.unsafe_count += 1
    writer.imports.add("cutile::tileir::*")
    writer.values[view] = Expr(held, RustType(Form.PARTITION, element, type_.tile_shape), reads=frozenset({held}))


@handles("get_tensor_shape")
def _tensor_shape(writer: Writer, op: Operation) -> None:
    tensor = operand(op, "src")
    assert tensor is not None
    source = writer.expr(tensor)
    held = writer.names.take("extent", writer.now, max(writer.live.last(value) for value in op.results))
    writer.block.add(f"let {held}: [i32; {len(op.results)}] = get_tensor_shape({source.text});")
    for axis, value in enumerate(op.results):
        expr = Expr(f"{held}[{axis}]", RustType(Form.SCALAR, "i32"), reads=frozenset({held}), cheap=True)
        writer.define(value, expr, op)


@handles("get_index_space_shape")
def _index_space(writer: Writer, op: Operation) -> None:
    view = operand(op, "src")
    assert view is not None
    source = writer.expr(view)
    for axis, value in enumerate(op.results):
        if writer.live.is_used(value):
            text = f"num_tiles(&{source.text}, {axis})"
            expr = Expr(text, RustType(Form.SCALAR, "i32"), reads=source.reads, opaque=True, is_operand=True)
            writer.define(value, expr, op)


def declare_view(writer: Writer, source: Expr, type_: PartitionViewType, wanted: str, until: float) -> str:
    rust = RustType(Form.PARTITION, source.type.element, type_.tile_shape)
    name = writer.names.take(wanted, writer.now, until)
    writer.block.add(f"let {name}: {rust} = {_view_text(writer, source, type_)};")
    return name


def is_identity(type_: PartitionViewType) -> bool:
    """Whether the tile axes are the array's, in order."""
    return type_.dim_map == tuple(range(len(type_.dim_map)))
