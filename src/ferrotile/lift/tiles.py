"""Handlers for loads and stores of whole tiles: one prelude call where nothing but the tile matters."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, operands, result
from ferrotile.ir.enums import PaddingValue
from ferrotile.ir.types import GatherScatterViewType, PartitionViewType
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.forms import marker
from ferrotile.lift.raising import Lent, lent_by
from ferrotile.lift.recipes import TileAccess
from ferrotile.lift.rust import Expr, array, rust_type, shape_of
from ferrotile.lift.tokens import (
    access_hints,
    access_order,
    bind_pair,
    bind_token,
    finish_store,
    is_awaited,
    stored_tile,
    token_of,
)
from ferrotile.lift.views import declare_view, is_identity

LOADS = {
    None: "load", PaddingValue.Zero: "load_zero", PaddingValue.NegZero: "load_neg_zero", PaddingValue.Nan: "load_nan",
    PaddingValue.PosInf: "load_pos_inf", PaddingValue.NegInf: "load_neg_inf",
}  # fmt: skip
"""Prelude function that loads a tile with a padding."""


def _indices(writer: Writer, values: Sequence[SSAValue], *, typed: bool = False) -> str:
    """An index array; `typed` where the compiler does not know that its literals are i32."""
    exprs = [writer.scalar(value) for value in values]
    if typed:  # nor does it know the type of a call there
        exprs = [writer.named(e, v) if "(" in e.text else e for e, v in zip(exprs, values, strict=True)]
    typed = typed or all(expr.bare is not None for expr in exprs)
    return array(expr.text if typed or expr.bare is None else expr.bare for expr in exprs)


@handles("load_view_tko")
def _load_view(writer: Writer, op: Operation) -> None:
    recipe = writer.recipes.of.get(op)
    token, awaited = token_of(writer, op), is_awaited(writer, op)
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
    view = declare_view(writer, source, type_, f"{source.text.removeprefix('&')}_tiles", writer.now + 0.5)
    index = _indices(writer, recipe.index, typed=True)
    if token is None:
        # Not `load_from`: what the prelude does to a view's token is not seen outside it.
        text = f"load_view_tko(&{view}, {index}, ordering::Weak, scope::TileBlock, None, tma::Enabled)"
        writer.let(tile, Expr(text, rust, opaque=True))
        bind_token(writer, done, f"get_partition_token(&{view})")
        return
    flags = array("false" for _ in recipe.index)
    waits = (
        f"Some({token}), ordering::Weak, scope::TileBlock, tma::Enabled, None, {flags}, {shape_of(type_.tile_shape)}"
    )
    writer.unsafe_count += 1
    bind_pair(writer, op, tile, rust, f"unsafe {{ load_view_raw(&{view}, {index}, {waits}) }}")


def _load_view_raw(writer: Writer, op: Operation, token: str | None, awaited: bool) -> None:
    view, tile = operand(op, "view"), result(op, "tile")
    assert view is not None
    source = writer.expr(view)
    rust = rust_type(tile.type).of(source.type.element)  # pyright: ignore[reportArgumentType]
    index = _view_index(writer, op)
    latency, tma = access_hints(op)
    order, scope = access_order(op)
    inbounds = attribute(op, "inbounds") or ()
    is_partition = isinstance(view.type, PartitionViewType)
    if token is None and not awaited and not any(inbounds) and is_partition:
        if (order, scope, tma) != ("ordering::Weak", "scope::TileBlock", "tma::Enabled"):
            text = f"load_view_tko(&{source.text}, {index}, {order}, {scope}, {latency}, {tma})"
        elif latency == "None":
            text = f"load_from(&{source.text}, {index})"
        else:
            text = f"load_ahead(&{source.text}, {index}, {latency.replace(')', 'i32)')})"
        writer.let(tile, Expr(text, rust, opaque=True))
        return
    flags = array(str(bool(flag)).lower() for flag in (inbounds or (False,) * len(operands(op, "index"))))
    waits = f"Some({token})" if token is not None else "None"
    shape = shape_of(source.type.shape)
    writer.unsafe_count += 1
    rest = f"{order}, {scope}, {tma}, {latency}, {flags}, {shape}"
    text = f"unsafe {{ load_view_raw(&{source.text}, {index}, {waits}, {rest}) }}"
    bind_pair(writer, op, tile, rust, text)


def _view_index(writer: Writer, op: Operation) -> str:
    """The index of a view access; that of a gather/scatter view has a tile at the sparse axis."""
    view, values = operand(op, "view"), operands(op, "index")
    assert view is not None
    if not isinstance(view.type, GatherScatterViewType):
        return _indices(writer, values, typed=True)
    sparse = view.type.sparse_dim
    texts = [
        writer.named(writer.tile(value), value).text if axis == sparse else writer.scalar(value).text
        for axis, value in enumerate(values)
    ]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


@handles("atomic_red_view_tko")
def _reduce_view(writer: Writer, op: Operation) -> None:
    view, value = operand(op, "view"), operand(op, "value")
    assert view is not None and value is not None
    if any(attribute(op, "inbounds") or ()):
        raise Unsupported("FT302", "`atomic_red_view_tko` with `inbounds` has no Rust form yet")
    source = writer.expr(view)
    tile = stored_tile(writer, value, source.type.element)
    order, scope = access_order(op)
    mode, token = marker("mode", attribute(op, "mode")), token_of(writer, op)
    waits = f"Some({token})" if token is not None else "None"
    writer.unsafe_count += 1
    arguments = ", ".join([f"&{source.text}", tile.text, _view_index(writer, op), mode, order, scope, waits])
    finish_store(writer, op, f"unsafe {{ atomic_red_view_raw({arguments}) }}", is_awaited(writer, op))


@handles("store_view_tko")
def _store_view(writer: Writer, op: Operation) -> None:
    recipe = writer.recipes.of.get(op)
    token, awaited = token_of(writer, op), is_awaited(writer, op)
    value = operand(op, "tile")
    assert value is not None
    lent = lent_by(writer.recipes, op)
    if lent is not None and lent.tensor.is_lent:
        _store_safely(writer, op, value, lent)
        return
    writer.unsafe_count += 1
    if isinstance(recipe, TileAccess):
        source = writer.expr(recipe.tensor)
        tile = stored_tile(writer, value, source.type.element)
        index = _indices(writer, recipe.index)
        if token is None and not awaited:
            writer.in_order()
            writer.block.add(f"unsafe {{ store({source.text}, {index}, {tile.text}) }};")
            return
        waits = token or "new_token_unordered()"
        text = f"unsafe {{ store_after({source.text}, {index}, {tile.text}, {waits}) }}"
    else:
        text = _store_view_raw(writer, op, value, token)
    finish_store(writer, op, text, awaited)


def _store_safely(writer: Writer, op: Operation, value: SSAValue, lent: Lent) -> None:
    """Into an array that is borrowed mutably; with hints it is a call on a view that has a variable."""
    name, shape = lent.tensor.name, shape_of(lent.type.tile_shape)
    tile = stored_tile(writer, value, lent.tensor.element)
    index = _indices(writer, operands(op, "index"), typed=True)
    latency, tma = access_hints(op)
    writer.in_order()
    token, awaited = token_of(writer, op), is_awaited(writer, op)
    if (latency, tma, token, awaited) == ("None", "tma::Enabled", None, False):
        writer.block.add(f"{name}.partition_mut({shape}).store({tile.text}, {index});")
        return
    part = writer.names.take(f"{name}_part", writer.now, writer.now + 1)
    type_ = f"PartitionMut<{lent.tensor.element}, {{ {array(lent.type.tile_shape)} }}>"
    writer.block.add(f"let mut {part}: {type_} = {name}.partition_mut({shape});")
    hint = f", {latency.replace(')', 'i32)')}" if latency != "None" else ""
    ahead = "_ahead" if hint else ""
    if token is not None or awaited:
        waits = token or "new_token_unordered()"
        call = f"put{ahead}_after(&mut {part}, {tile.text}, {index}{hint}, {waits})"
        # cutile infers the type of what a function gives from where it goes.
        finish_store(writer, op, call if awaited else f"let _done: Token = {call}", awaited)
        return
    function = f"put{ahead}" + ("_without_tma" if tma == "tma::Disabled" else "")
    writer.block.add(f"{function}(&mut {part}, {tile.text}, {index}{hint});")


WITHOUT_TMA = (None, "ordering::Weak", "scope::TileBlock", "tma::Disabled", "None")
AHEAD = (None, "ordering::Weak", "scope::TileBlock", "tma::Enabled")


def _store_view_raw(writer: Writer, op: Operation, value: SSAValue, token: str | None) -> str:
    view = operand(op, "view")
    assert view is not None
    source = writer.expr(view)
    tile = stored_tile(writer, value, source.type.element)
    index = _view_index(writer, op)
    latency, tma = access_hints(op)
    order, scope = access_order(op)
    hints = (token, order, scope, tma, latency)
    is_awaited_or_bounded = is_awaited(writer, op) or any(attribute(op, "inbounds") or ())
    if hints == WITHOUT_TMA and not is_awaited_or_bounded and isinstance(view.type, PartitionViewType):
        return f"unsafe {{ store_without_tma(&{source.text}, {tile.text}, {index}) }}"
    is_plain = hints[:-1] == AHEAD and latency != "None" and not is_awaited_or_bounded
    if is_plain and isinstance(view.type, PartitionViewType):
        return f"unsafe {{ store_ahead(&{source.text}, {index}, {tile.text}, {latency.replace(')', 'i32)')}) }}"
    flags = array(str(bool(f)).lower() for f in (attribute(op, "inbounds") or (False,) * len(operands(op, "index"))))
    waits = f"Some({token})" if token is not None else "None"
    return (
        f"unsafe {{ store_view_raw(&{source.text}, {tile.text}, {index}, {waits}, {order}, {scope}, {tma}, "
        f"{latency}, {flags}) }}"
    )
