"""Handlers for views, loads, stores, atomics and the tokens that order them.

An access whose order does not matter (its token is a fresh one and nobody waits for it) is written without a token.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, result, row
from ferrotile.ir.enums import MemoryOrderingSemantics, PaddingValue
from ferrotile.ir.types import PartitionViewType, TensorViewType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.forms import marker
from ferrotile.lift.leaves import extent_of, stride_of
from ferrotile.lift.parameters import Tensor
from ferrotile.lift.recipes import Access, Index, TileAccess, definer, is_plain
from ferrotile.lift.rust import Expr, Form, Level, RustType, array, rust_type, shape_of

TOKEN = RustType(Form.TOKEN)

LOADS = {
    None: "load", PaddingValue.Zero: "load_zero", PaddingValue.NegZero: "load_neg_zero", PaddingValue.Nan: "load_nan",
    PaddingValue.PosInf: "load_pos_inf", PaddingValue.NegInf: "load_neg_inf",
}  # fmt: skip
"""Prelude function that loads a tile with a padding."""


# -- tokens -----------------------------------------------------------------------------------------------------------


@handles("make_token")
def _make_token(writer: Writer, op: Operation) -> None:
    writer.tokens[op.results[0]] = None


@handles("join_tokens")
def _join_tokens(writer: Writer, op: Operation) -> None:
    names = [name for value in operands(op, "tokens") if (name := writer.tokens[value]) is not None]
    names = list(dict.fromkeys(names))
    if len(names) < 2:
        writer.tokens[op.results[0]] = names[0] if names else None
        if names:
            writer.names.hold(names[0], writer.live.last(op.results[0]))
        return
    bind_token(writer, op.results[0], f"join_tokens(&{array(names)})")


def bind_token(writer: Writer, value: SSAValue, text: str) -> None:
    """Give a token a variable, or assign the carried variable that it becomes."""
    if value in writer.targets:
        name = writer.targets[value]
        writer.assign(name, Expr(text, TOKEN))
    else:
        name = token_name(writer, value)
        writer.block.add(f"let {name}: Token = {text};")
    writer.tokens[value] = name


def token_name(writer: Writer, value: SSAValue) -> str:
    """A free name for a token."""
    wanted = writer.annotations.names.get(value, "token")
    return writer.names.take(wanted, writer.now, writer.live.last(value))


def token_of(writer: Writer, op: Operation) -> str | None:
    """The token that an access waits for; none when any order will do."""
    value = operand(op, "token")
    return writer.tokens[value] if value is not None else None


def _is_awaited(writer: Writer, op: Operation) -> bool:
    return writer.live.is_used(result(op, "result_token"))


# -- views ------------------------------------------------------------------------------------------------------------


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
    source = writer.expr(tensor)
    rust = RustType(Form.PARTITION, source.type.element, type_.tile_shape)
    name = _declare_view(writer, source, type_, writer.annotations.name(view), writer.live.last(view))
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


@handles("get_index_space_shape")
def _index_space(writer: Writer, op: Operation) -> None:
    view = operand(op, "src")
    assert view is not None
    source = writer.expr(view)
    for axis, value in enumerate(op.results):
        if writer.live.is_used(value):
            expr = Expr(f"num_tiles(&{source.text}, {axis})", RustType(Form.SCALAR, "i32"), reads=source.reads)
            writer.define(value, expr, op)


# -- tile loads and stores --------------------------------------------------------------------------------------------


def _indices(writer: Writer, values: Sequence[SSAValue], *, typed: bool = False) -> str:
    """An index array; `typed` where the compiler does not know that its literals are i32."""
    exprs = [writer.scalar(value) for value in values]
    typed = typed or all(expr.bare is not None for expr in exprs)
    return array(expr.text if typed or expr.bare is None else expr.bare for expr in exprs)


@handles("load_view_tko")
def _load_view(writer: Writer, op: Operation) -> None:
    recipe = writer.recipes.of.get(op)
    token, awaited = token_of(writer, op), _is_awaited(writer, op)
    tile = result(op, "tile")
    if isinstance(recipe, TileAccess):
        _load_tile(writer, op, recipe, token)
        return
    _load_view_raw(writer, op, token, awaited)


def _load_tile(writer: Writer, op: Operation, recipe: TileAccess, token: str | None) -> None:
    """One prelude call; where the order matters, a view of its own, whose token says when the load is done."""
    tile, done = result(op, "tile"), result(op, "result_token")
    source, type_ = writer.expr(recipe.tensor), recipe.type
    rust = rust_type(tile.type).of(source.type.element)  # pyright: ignore[reportArgumentType]
    if token is None and not writer.live.is_used(done):
        arguments = f"{source.text}, {_indices(writer, recipe.index)}, {shape_of(type_.tile_shape)}"
        function = LOADS[type_.padding]
        if not is_identity(type_):
            function = function.replace("load", "load_permuted", 1)
            arguments += f", const_array!{array(type_.dim_map)}"
        writer.let(tile, Expr(f"{function}({arguments})", rust, opaque=True))
        return
    view = _declare_view(writer, source, type_, f"{source.text.removeprefix('&')}_tiles", writer.now + 0.5)
    index = _indices(writer, recipe.index, typed=True)
    if token is None:
        text = f"load_view_tko(&{view}, {index}, ordering::Weak, scope::TileBlock, None, tma::Enabled)"
        writer.let(tile, Expr(text, rust, opaque=True))
        bind_token(writer, done, f"get_partition_token(&{view})")
        return
    flags = array("false" for _ in recipe.index)
    waits = f"Some({token}), ordering::Weak, scope::TileBlock, tma::Enabled, None, {flags}, {shape_of(type_.tile_shape)}"
    writer.unsafe_count += 1
    _bind_pair(writer, op, tile, rust, f"unsafe {{ load_view_raw(&{view}, {index}, {waits}) }}")


def _declare_view(writer: Writer, source: Expr, type_: PartitionViewType, wanted: str, until: float) -> str:
    rust = RustType(Form.PARTITION, source.type.element, type_.tile_shape)
    name = writer.names.take(wanted, writer.now, until)
    writer.block.add(f"let {name}: {rust} = {_view_text(writer, source, type_)};")
    return name


def is_identity(type_: PartitionViewType) -> bool:
    """Whether the tile axes are the array's, in order."""
    return type_.dim_map == tuple(range(len(type_.dim_map)))


def _load_view_raw(writer: Writer, op: Operation, token: str | None, awaited: bool) -> None:
    view, tile = operand(op, "view"), result(op, "tile")
    assert view is not None
    if definer(view, "make_partition_view") is None:
        raise Unsupported("FT307", "a load through a strided or gather/scatter view has no Rust form yet")
    source = writer.expr(view)
    rust = rust_type(tile.type).of(source.type.element)  # pyright: ignore[reportArgumentType]
    index = _indices(writer, operands(op, "index"), typed=True)
    latency, tma = _hints(op)
    order, scope = _order(op)
    inbounds = attribute(op, "inbounds") or ()
    if token is None and not awaited and not any(inbounds):
        text = f"load_view_tko(&{source.text}, {index}, {order}, {scope}, {latency}, {tma})"
        writer.let(tile, Expr(text, rust, opaque=True))
        return
    flags = array(str(bool(flag)).lower() for flag in (inbounds or (False,) * len(operands(op, "index"))))
    waits = f"Some({token})" if token is not None else "None"
    shape = shape_of(source.type.shape)
    writer.unsafe_count += 1
    text = f"unsafe {{ load_view_raw(&{source.text}, {index}, {waits}, {order}, {scope}, {tma}, {latency}, {flags}, {shape}) }}"
    _bind_pair(writer, op, tile, rust, text)


def _bind_pair(writer: Writer, op: Operation, value: SSAValue, rust: RustType, text: str) -> None:
    """Bind the value and the token of an access."""
    token = result(op, "result_token")
    name = writer.names.take(writer.annotations.name(value), writer.now, writer.live.last(value))
    order = token_name(writer, token) if writer.live.is_used(token) else writer.names.take("_token", writer.now, -1)
    writer.in_order()
    writer.block.add(f"let ({name}, {order}): ({rust}, Token) = {text};")
    writer.values[value] = Expr(name, rust, reads=frozenset({name}))
    writer.tokens[token] = order
    if value in writer.targets:
        writer.assign(writer.targets[value], writer.values[value])
        writer.values[value] = Expr(writer.targets[value], rust, reads=frozenset({writer.targets[value]}))
    if token in writer.targets:
        writer.assign(writer.targets[token], Expr(order, TOKEN))
        writer.tokens[token] = writer.targets[token]


@handles("store_view_tko")
def _store_view(writer: Writer, op: Operation) -> None:
    recipe = writer.recipes.of.get(op)
    token, awaited = token_of(writer, op), _is_awaited(writer, op)
    value = operand(op, "tile")
    assert value is not None
    writer.unsafe_count += 1
    if isinstance(recipe, TileAccess):
        source = writer.expr(recipe.tensor)
        tile = _stored(writer, value, source.type.element)
        index, shape = _indices(writer, recipe.index), shape_of(recipe.type.tile_shape)
        if token is None and not awaited:
            writer.in_order()
            writer.block.add(f"unsafe {{ store({source.text}, {index}, {tile.text}, {shape}) }};")
            return
        text = f"unsafe {{ store_after({source.text}, {index}, {tile.text}, {shape}, {token or 'new_token_unordered()'}) }}"
    else:
        text = _store_view_raw(writer, op, value, token)
    _finish_store(writer, op, text, awaited)


def _store_view_raw(writer: Writer, op: Operation, value: SSAValue, token: str | None) -> str:
    view = operand(op, "view")
    if definer(view, "make_partition_view") is None or view is None:
        raise Unsupported("FT307", "a store through a strided or gather/scatter view has no Rust form yet")
    source = writer.expr(view)
    tile = _stored(writer, value, source.type.element)
    index = _indices(writer, operands(op, "index"), typed=True)
    latency, tma = _hints(op)
    order, scope = _order(op)
    flags = array(str(bool(f)).lower() for f in (attribute(op, "inbounds") or (False,) * len(operands(op, "index"))))
    waits = f"Some({token})" if token is not None else "None"
    return (
        f"unsafe {{ store_view_raw(&{source.text}, {tile.text}, {index}, {waits}, {order}, {scope}, {tma}, "
        f"{latency}, {flags}) }}"
    )


def _stored(writer: Writer, value: SSAValue, element: str) -> Expr:
    tile = writer.named(writer.tile(value), value)
    return writer.signed(tile, element.startswith("u"))


def _finish_store(writer: Writer, op: Operation, text: str, awaited: bool) -> None:
    writer.in_order()
    if awaited:
        bind_token(writer, result(op, "result_token"), text)
    else:
        writer.block.add(f"{text};")


def _hints(op: Operation) -> tuple[str, str]:
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


def _order(op: Operation) -> tuple[str, str]:
    order, scope = attribute(op, "memory_ordering_semantics"), attribute(op, "memory_scope")
    return marker("memory_ordering", order), marker("scope", scope) if scope is not None else "scope::TileBlock"


# -- element loads, stores and atomics --------------------------------------------------------------------------------


@handles("load_ptr_tko")
def _load_ptr(writer: Writer, op: Operation) -> None:
    value = result(op, "result")
    recipe = writer.recipes.of.get(op)
    padding = operand(op, "paddingValue")
    token, awaited = token_of(writer, op), _is_awaited(writer, op)
    if isinstance(recipe, Access) and token is None and not awaited and _is_gather(op, recipe, padding):
        writer.let(value, _gather(writer, recipe, value, padding))
        return
    pointers, mask = _target(writer, op, recipe, "source")
    rust = rust_type(value.type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    pad = writer.named(writer.tile(padding), padding, "padding") if padding is not None else None
    order, scope = _pointer_order(op)
    parts = [
        pointers.text, order, scope, f"Some({mask.text})" if mask is not None else "None",
        f"Some({pad.text})" if pad is not None else "None", f"Some({token})" if token is not None else "None",
        f"Latency::<{_cycles(op)}>",
    ]  # fmt: skip
    writer.unsafe_count += 1
    function = "load_ptr_tko" if pad is None else "load_ptr_padded"
    _bind_pair(writer, op, value, rust, f"unsafe {{ {function}({', '.join(parts)}) }}")


def is_dynamic(tensor: Tensor) -> bool:
    """Whether every extent is known only at launch, as the prelude's bounds take it."""
    return all(extent is None for extent in tensor.shape)


def _is_gather(op: Operation, recipe: Access, padding: SSAValue | None) -> bool:
    order = attribute(op, "memory_ordering_semantics")
    return order is MemoryOrderingSemantics.WEAK and not _cycles(op) and recipe.in_bounds and padding is not None and is_dynamic(recipe.tensor)


def _gather(writer: Writer, recipe: Access, value: SSAValue, padding: SSAValue | None) -> Expr:
    assert padding is not None
    rust = rust_type(value.type).of(recipe.tensor.element)  # pyright: ignore[reportArgumentType]
    arguments = _address(writer, recipe, rust.shape)
    name = "gather"
    if recipe.mask is not None:
        name += "_masked"
        mask = writer.stable(writer.tile(recipe.mask), recipe.mask)
        arguments.append(mask.text)
    if not _is_zero(padding):
        name += "_padded"
        arguments.append(writer.stable(writer.tile(padding), padding, "padding").text)
    return Expr(f"{name}_{recipe.tensor.rank}d({', '.join(arguments)})", rust, opaque=True)


def _is_zero(value: SSAValue) -> bool:
    """Whether a tile is all zeros, spread or not."""
    while (op := definer(value, "broadcast") or definer(value, "reshape")) is not None:
        value = op.operands[0]
    constant = definer(value, "constant")
    return constant is not None and not any(attribute(constant, "value"))


def _address(writer: Writer, recipe: Access, shape: tuple[int | None, ...]) -> list[str]:
    """Arguments of a prelude call that addresses elements: tensor, indices, strides, shape."""
    indices = [_wide(writer, index, shape) for index in recipe.indices]
    strides = [stride_of(recipe.tensor, axis) for axis in range(recipe.tensor.rank)]
    steps = array(s.bare if s.bare is not None and len(strides) > 1 else s.text for s in strides)
    return [recipe.tensor.name, *indices, steps, shape_of(shape)]


def _wide(writer: Writer, index: Index, shape: tuple[int | None, ...]) -> str:
    """An index as an i64 tile of the access' shape."""
    if index.shape is None or (index.shape == () and shape == ()):
        if str(index.source.type).endswith("i32>"):
            return f"wide({writer.scalar(index.source).text}, {shape_of(shape)})"
        return writer.stable(writer.tile(index.source), index.source).text
    source = writer.stable(writer.tile(index.source), index.source)
    if source.type.element in ("i64", "u64"):
        return writer.signed(source, False).text
    text = source.text
    if source.type.shape != index.shape:
        text = f"{source.at(Level.ATOM)}.reshape({shape_of(index.shape)})"
    return f"widen({text}, {shape_of(shape)})"


def _target(
    writer: Writer, op: Operation, recipe: object, name: str
) -> tuple[Expr, Expr | None]:
    """Pointers and mask of an access: from the recipe, else as they stand."""
    if isinstance(recipe, Access):
        value = operand(op, name)
        assert value is not None
        rust = rust_type(value.type).of(recipe.tensor.element)  # pyright: ignore[reportArgumentType]
        arguments = _address(writer, recipe, rust.shape)
        rank = recipe.tensor.rank
        pointers = writer.stable(
            Expr(f"addresses_{rank}d({', '.join(arguments)})", rust, opaque=True), stem="addresses"
        )
        return pointers, _recipe_mask(writer, recipe, arguments, rust.shape)
    pointers_value, mask_value = operand(op, name), operand(op, "mask")
    assert pointers_value is not None
    pointers = writer.stable(writer.expr(pointers_value), pointers_value)
    mask = writer.named(writer.tile(mask_value), mask_value) if mask_value is not None else None
    return pointers, mask


def _recipe_mask(
    writer: Writer, recipe: Access, arguments: list[str], shape: tuple[int | None, ...]
) -> Expr | None:
    """The bounds of every axis and the access' own mask, as one tile."""
    type_ = RustType(Form.TILE, "bool", shape)
    extra = writer.named(writer.tile(recipe.mask), recipe.mask) if recipe.mask is not None else None
    if not recipe.in_bounds:
        return extra
    rank = recipe.tensor.rank
    if is_dynamic(recipe.tensor):
        text = f"in_bounds_{rank}d({', '.join([*arguments[: 1 + rank], arguments[-1]])})"
    else:
        extents = [extent_of(recipe.tensor, axis).text for axis in range(rank)]
        tests = zip(arguments[1 : 1 + rank], extents, strict=True)
        text = " & ".join(f"below({index}, {extent}, {arguments[-1]})" for index, extent in tests)
    if extra is not None:
        text += f" & {extra.at(Level.PRODUCT)}"
    return writer.stable(Expr(text, type_, opaque=True), stem="inside")


def _pointer_order(op: Operation) -> tuple[str, str]:
    order, scope = attribute(op, "memory_ordering_semantics"), attribute(op, "memory_scope")
    spelled = f"Some({marker('scope', scope)})" if scope is not None else "None::<scope::TileBlock>"
    return marker("memory_ordering", order), spelled


def _cycles(op: Operation) -> int:
    latency, tma = _hints(op)
    if tma != "tma::Enabled":
        raise Unsupported("FT302", "`allow_tma=False` on an element access has no Rust form")
    return 0 if latency == "None" else int(latency[5:-1])


@handles("store_ptr_tko")
def _store_ptr(writer: Writer, op: Operation) -> None:
    value = operand(op, "value")
    assert value is not None
    recipe = writer.recipes.of.get(op)
    token, awaited = token_of(writer, op), _is_awaited(writer, op)
    writer.unsafe_count += 1
    plain = attribute(op, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK and not _cycles(op)
    if isinstance(recipe, Access) and plain and recipe.in_bounds and is_dynamic(recipe.tensor):
        text = _scatter(writer, recipe, value, token, awaited)
    else:
        pointers, mask = _target(writer, op, recipe, "destination")
        tile = _stored(writer, value, pointers.type.element)
        order, scope = _pointer_order(op)
        parts = [
            pointers.text, tile.text, order, scope, f"Some({mask.text})" if mask is not None else "None",
            f"Some({token})" if token is not None else "None", f"Latency::<{_cycles(op)}>",
        ]  # fmt: skip
        text = f"unsafe {{ store_ptr_tko({', '.join(parts)}) }}"
    _finish_store(writer, op, text, awaited)


def _scatter(writer: Writer, recipe: Access, value: SSAValue, token: str | None, awaited: bool) -> str:
    tile = _stored(writer, value, recipe.tensor.element)
    arguments = _address(writer, recipe, tile.type.shape)
    name = "scatter"
    if recipe.mask is not None:
        name += "_masked"
        arguments.append(writer.stable(writer.tile(recipe.mask), recipe.mask).text)
    arguments.append(tile.text)
    if token is not None or awaited:
        name += "_after"
        arguments.append(token or "new_token_unordered()")
    return f"unsafe {{ {name}_{recipe.tensor.rank}d({', '.join(arguments)}) }}"


@handles("atomic_rmw_tko")
def _atomic(writer: Writer, op: Operation) -> None:
    value, argument = result(op, "result"), operand(op, "arg")
    assert argument is not None
    pointers, mask = _target(writer, op, writer.recipes.of.get(op), "pointers")
    tile = _stored(writer, argument, pointers.type.element)
    token = token_of(writer, op)
    order, scope = _order(op)
    parts = [
        pointers.text, tile.text, marker("mode", attribute(op, "mode")), order, scope,
        f"Some({mask.text})" if mask is not None else "None", f"Some({token})" if token is not None else "None",
    ]  # fmt: skip
    writer.unsafe_count += 1
    rust = rust_type(value.type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    _bind_pair(writer, op, value, rust, f"unsafe {{ atomic_rmw_tko({', '.join(parts)}) }}")


@handles("offset")
def _offset(writer: Writer, op: Operation) -> None:
    base, distance = operand(op, "ptr"), operand(op, "offset")
    assert base is not None and distance is not None
    pointers = writer.stable(writer.expr(base), base)
    tile = writer.stable(writer.tile(distance), distance)
    text = f"{pointers.at(Level.ATOM)}.offset_tile({tile.text})"
    rust = rust_type(op.results[0].type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    writer.define(op.results[0], Expr(text, rust, opaque=True, reads=pointers.reads | tile.reads), op)


__all__ = ["bind_token", "is_plain", "token_name"]
