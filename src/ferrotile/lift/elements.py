"""Handlers for loads, stores and atomics on single elements: gathers and scatters where the addresses allow it."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, operand, result
from ferrotile.ir.enums import MemoryOrderingSemantics
from ferrotile.lift.definers import is_zero
from ferrotile.lift.emit import Writer, handles
from ferrotile.lift.forms import marker
from ferrotile.lift.leaves import extent_of, filled, stride_of
from ferrotile.lift.parameters import Tensor
from ferrotile.lift.recipes import Access, Element, Index
from ferrotile.lift.rust import Expr, Form, Level, RustType, array, rust_type, shape_of
from ferrotile.lift.tokens import access_hints, access_order, bind_pair, finish_store, is_awaited, stored_tile, token_of


@handles("load_ptr_tko")
def _load_ptr(writer: Writer, op: Operation) -> None:
    value = result(op, "result")
    recipe = writer.recipes.of.get(op)
    padding = operand(op, "paddingValue")
    token, awaited = token_of(writer, op), is_awaited(writer, op)
    if isinstance(recipe, Element):
        writer.unsafe_count += 1
        text = f"unsafe {{ element::<_, {recipe.divisor}>({_element_arguments(writer, recipe)}) }}"
        writer.let(value, Expr(text, RustType(Form.TILE, recipe.tensor.element), opaque=True))
        return
    if isinstance(recipe, Access) and token is None and not awaited and _is_gather(op, recipe, padding):
        writer.let(value, _gather(writer, recipe, value, padding))
        return
    pointers, mask = _target(writer, op, recipe, "source")
    rust = rust_type(value.type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    pad = writer.named(_padding(writer, recipe, padding, rust), padding, "padding") if padding is not None else None
    order, scope = _pointer_order(op)
    latency = _short_latency(op)
    if pad is not None and token is None and not awaited and latency is not None:
        function = f"read_at{'' if mask is None else '_masked'}{latency}"
        arguments = ", ".join(e.text for e in (pointers, mask, pad) if e is not None)
        writer.unsafe_count += 1
        writer.let(value, Expr(f"unsafe {{ {function}({arguments}) }}", rust, opaque=True))
        return
    parts = [
        pointers.text, order, scope, f"Some({mask.text})" if mask is not None else "None",
        f"Some({pad.text})" if pad is not None else "None", f"Some({token})" if token is not None else "None",
        f"Latency::<{_cycles(op)}>",
    ]  # fmt: skip
    writer.unsafe_count += 1
    function = "load_ptr_tko" if pad is None else "load_ptr_padded"
    bind_pair(writer, op, value, rust, f"unsafe {{ {function}({', '.join(parts)}) }}")


def _short_latency(op: Operation) -> str | None:
    """The suffix of the prelude's plain reads and writes that have this hint; None where they have not this order."""
    is_weak = attribute(op, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK
    return {0: "", 1: "_latency_1"}.get(_cycles(op)) if is_weak else None


def is_dynamic(tensor: Tensor) -> bool:
    """Whether every extent is known only at launch, as the prelude's bounds take it."""
    return all(extent is None for extent in tensor.shape)


def _is_gather(op: Operation, recipe: Access, padding: SSAValue | None) -> bool:
    order = attribute(op, "memory_ordering_semantics")
    return order is MemoryOrderingSemantics.WEAK and not _cycles(op) and recipe.in_bounds and padding is not None


def _gather(writer: Writer, recipe: Access, value: SSAValue, padding: SSAValue | None) -> Expr:
    assert padding is not None
    rust = rust_type(value.type).of(recipe.tensor.element)  # pyright: ignore[reportArgumentType]
    name, rank, arguments = _bounded_call(writer, "gather", recipe, rust.shape)
    if recipe.mask is not None:
        name += "_masked"
        mask = writer.stable(writer.tile(recipe.mask), recipe.mask)
        arguments.append(mask.text)
    if not is_zero(padding):
        name += "_padded"
        arguments.append(writer.stable(_padding(writer, recipe, padding, rust), padding, "padding").text)
    return Expr(f"{name}{rank}({', '.join(arguments)})", rust, opaque=True)


def _element_arguments(writer: Writer, recipe: Element) -> str:
    return f"{recipe.tensor.name}, {writer.scalar(recipe.index).text}"


def _bounded_call(
    writer: Writer, name: str, recipe: Access, shape: tuple[int | None, ...]
) -> tuple[str, str, list[str]]:
    """Start and end of the name of a bounded access, and its arguments up to the shape: short where it can be."""
    short = short_name(recipe, shape)
    if short is not None:
        return f"{name}_{'row' if short == 'row' else 'elements'}", "", _short_arguments(writer, recipe)
    arguments = _address(writer, recipe, shape, bounded=True)
    return _bounded(name, recipe.tensor), f"_{recipe.tensor.rank}d", arguments


def short_name(recipe: Access, shape: tuple[int | None, ...]) -> str | None:
    """`element` or `row` where the prelude has a short call: a contiguous last axis, a tile of i32 indices along it."""
    *outer, last = recipe.tensor.strides
    if last != 1 or any(step is not None for step in outer) or not is_dynamic(recipe.tensor) or shape == ():
        return None
    *numbers, along = recipe.indices
    is_tile = along.shape == shape and rust_type(along.source.type).shape == shape  # pyright: ignore[reportArgumentType]
    if not is_tile or not all(str(index.source.type).endswith("i32>") for index in recipe.indices):
        return None
    if len(numbers) > 1 or any(index.shape is not None for index in numbers):
        return None
    return "row" if numbers else "element"


def _short_arguments(writer: Writer, recipe: Access) -> list[str]:
    *numbers, along = recipe.indices
    columns = writer.stable(writer.tile(along.source), along.source)
    return [recipe.tensor.name, *(writer.scalar(index.source).text for index in numbers), columns.text]


def _padding(writer: Writer, recipe: object, padding: SSAValue, rust: RustType) -> Expr:
    """The padding of a load; zeros of a recipe have no variable and are written anew."""
    if isinstance(recipe, Access) and is_zero(padding):
        return filled(writer, 0, rust, padding.type.element)  # pyright: ignore[reportAttributeAccessIssue]
    return writer.signed(writer.tile(padding), rust.element.startswith("u"))


def _address(writer: Writer, recipe: Access, shape: tuple[int | None, ...], *, bounded: bool = False) -> list[str]:
    """Arguments of a prelude call on elements: tensor, indices, extents if it is bounded, strides, shape."""
    tensor = recipe.tensor
    indices = [_wide(writer, index, shape) for index in recipe.indices]
    extents = [_numbers(extent_of, tensor)] if bounded and not is_dynamic(tensor) else []
    return [tensor.name, *indices, *extents, _numbers(stride_of, tensor), shape_of(shape)]


def _numbers(of: Callable[[Tensor, int], Expr], tensor: Tensor) -> str:
    """One number for each axis, as a Rust array."""
    numbers = [of(tensor, axis) for axis in range(tensor.rank)]
    return array(n.bare if n.bare is not None and len(numbers) > 1 else n.text for n in numbers)


def _bounded(name: str, tensor: Tensor) -> str:
    """The prelude's name of a bounded access; fixed extents are given to it."""
    return name if is_dynamic(tensor) else f"{name}_within"


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


def _target(writer: Writer, op: Operation, recipe: object, name: str) -> tuple[Expr, Expr | None]:
    """Pointers and mask of an access: from the recipe, else as they stand."""
    if isinstance(recipe, Access):
        value = operand(op, name)
        assert value is not None
        rust = rust_type(value.type).of(recipe.tensor.element)  # pyright: ignore[reportArgumentType]
        short = short_name(recipe, rust.shape)
        arguments = _short_arguments(writer, recipe) if short else _address(writer, recipe, rust.shape)
        function = f"{short}_addresses" if short else f"addresses_{recipe.tensor.rank}d"
        pointers = writer.stable(Expr(f"{function}({', '.join(arguments)})", rust, opaque=True), stem="addresses")
        return pointers, _recipe_mask(writer, recipe, arguments, rust.shape)
    pointers_value, mask_value = operand(op, name), operand(op, "mask")
    assert pointers_value is not None
    pointers = writer.stable(writer.expr(pointers_value), pointers_value)
    mask = writer.named(writer.tile(mask_value), mask_value) if mask_value is not None else None
    return pointers, mask


def _recipe_mask(writer: Writer, recipe: Access, arguments: list[str], shape: tuple[int | None, ...]) -> Expr | None:
    """The bounds of every axis and the access' own mask, as one tile."""
    type_ = RustType(Form.TILE, "bool", shape)
    extra = writer.named(writer.tile(recipe.mask), recipe.mask) if recipe.mask is not None else None
    if not recipe.in_bounds:
        return extra
    rank, short = recipe.tensor.rank, short_name(recipe, shape)
    if short is not None:
        text = f"{short}_in_bounds({', '.join(arguments)})"
    elif is_dynamic(recipe.tensor):
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
    latency, tma = access_hints(op)
    if tma != "tma::Enabled":
        raise Unsupported("FT302", "`allow_tma=False` on an element access has no Rust form")
    return 0 if latency == "None" else int(latency[5:-1])


@handles("store_ptr_tko")
def _store_ptr(writer: Writer, op: Operation) -> None:
    value = operand(op, "value")
    assert value is not None
    recipe = writer.recipes.of.get(op)
    token, awaited = token_of(writer, op), is_awaited(writer, op)
    writer.unsafe_count += 1
    plain = attribute(op, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK and not _cycles(op)
    if isinstance(recipe, Element):
        text = _write_element(writer, recipe, value, token, awaited)
    elif isinstance(recipe, Access) and plain and recipe.in_bounds:
        text = _scatter(writer, recipe, value, token, awaited)
    else:
        pointers, mask = _target(writer, op, recipe, "destination")
        tile = stored_tile(writer, value, pointers.type.element)
        parts = [pointers.text, tile.text, None if mask is None else mask.text, token]
        text = f"unsafe {{ {_stored_at(op, parts, awaited)} }}"
    finish_store(writer, op, text, awaited)


def _stored_at(op: Operation, parts: list[str | None], awaited: bool) -> str:
    """A write of `parts`: addresses, tile, mask, token; one that others wait for has a short form if it waits, too."""
    latency = _short_latency(op)
    mask, token = parts[2:]
    if latency is not None and (token is not None or not awaited):
        name = f"write_at{'_masked' if mask is not None else ''}{'_after' if token is not None else ''}{latency}"
        return f"{name}({', '.join(part for part in parts if part is not None)})"
    waits = [f"Some({part})" if part is not None else "None" for part in (mask, token)]
    return f"store_ptr_tko({', '.join([*map(str, parts[:2]), *_pointer_order(op), *waits])}, Latency::<{_cycles(op)}>)"


def _write_element(writer: Writer, recipe: Element, value: SSAValue, token: str | None, awaited: bool) -> str:
    tile = stored_tile(writer, value, recipe.tensor.element)
    waits = f", {token or 'new_token_unordered()'}" if token is not None or awaited else ""
    name = f"write_element{'_after' if waits else ''}::<_, {recipe.divisor}>"
    return f"unsafe {{ {name}({_element_arguments(writer, recipe)}, {tile.text}{waits}) }}"


def _scatter(writer: Writer, recipe: Access, value: SSAValue, token: str | None, awaited: bool) -> str:
    tile = stored_tile(writer, value, recipe.tensor.element)
    name, rank, arguments = _bounded_call(writer, "scatter", recipe, tile.type.shape)
    if recipe.mask is not None:
        name += "_masked"
        arguments.append(writer.stable(writer.tile(recipe.mask), recipe.mask).text)
    arguments.append(tile.text)
    if token is not None or awaited:
        name += "_after"
        arguments.append(token or "new_token_unordered()")
    return f"unsafe {{ {name}{rank}({', '.join(arguments)}) }}"


RELAXED_ADD = ["atomic::Add", "ordering::Relaxed", "scope::Device"]


@handles("atomic_rmw_tko")
def _atomic(writer: Writer, op: Operation) -> None:
    value, argument = result(op, "result"), operand(op, "arg")
    assert argument is not None
    recipe, order = writer.recipes.of.get(op), access_order(op)
    if isinstance(recipe, Access) and _is_short_addition(writer, op, recipe, value):
        tile = stored_tile(writer, argument, recipe.tensor.element)
        arguments = [*_short_arguments(writer, recipe), tile.text]
        writer.unsafe_count += 1
        rust = rust_type(value.type).of(recipe.tensor.element)  # pyright: ignore[reportArgumentType]
        text = f"unsafe {{ add_to_elements({', '.join(arguments)}) }}"
        if writer.live.is_used(value):
            writer.let(value, Expr(text, rust, opaque=True))
        else:
            writer.in_order()
            writer.block.add(f"{text};")
        return
    pointers, mask = _target(writer, op, recipe, "pointers")
    tile = stored_tile(writer, argument, pointers.type.element)
    token = token_of(writer, op)
    parts = [
        pointers.text, tile.text, marker("mode", attribute(op, "mode")), *order,
        f"Some({mask.text})" if mask is not None else "None", f"Some({token})" if token is not None else "None",
    ]  # fmt: skip
    writer.unsafe_count += 1
    rust = rust_type(value.type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    if parts[2:5] == RELAXED_ADD and mask is not None and token is None and not is_awaited(writer, op):
        text = f"unsafe {{ add_at_masked({pointers.text}, {tile.text}, {mask.text}) }}"
        writer.let(value, Expr(text, rust, opaque=True))
        return
    bind_pair(writer, op, value, rust, f"unsafe {{ atomic_rmw_tko({', '.join(parts)}) }}")


def _is_short_addition(writer: Writer, op: Operation, recipe: Access, value: SSAValue) -> bool:
    """Whether an atomic is a relaxed addition to elements of a contiguous array, within bounds, awaited by nothing."""
    shape = rust_type(value.type).shape  # pyright: ignore[reportArgumentType]
    is_plain = [marker("mode", attribute(op, "mode")), *access_order(op)] == RELAXED_ADD
    is_free = token_of(writer, op) is None and not is_awaited(writer, op)
    return is_plain and is_free and recipe.in_bounds and recipe.mask is None and short_name(recipe, shape) == "element"


@handles("atomic_cas_tko")
def _compare_and_swap(writer: Writer, op: Operation) -> None:
    value = result(op, "result")
    pointers, mask = _target(writer, op, writer.recipes.of.get(op), "pointers")
    expected, wanted = (operand(op, name) for name in ("cmp", "val"))
    assert expected is not None and wanted is not None
    tiles = [stored_tile(writer, side, pointers.type.element).text for side in (expected, wanted)]
    token = token_of(writer, op)
    guards = [f"Some({mask.text})" if mask is not None else "None", f"Some({token})" if token is not None else "None"]
    writer.unsafe_count += 1
    rust = rust_type(value.type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    arguments = ", ".join([pointers.text, *tiles, *access_order(op), *guards])
    bind_pair(writer, op, value, rust, f"unsafe {{ atomic_cas_tko({arguments}) }}")


@handles("offset")
def _offset(writer: Writer, op: Operation) -> None:
    base, distance = operand(op, "ptr"), operand(op, "offset")
    assert base is not None and distance is not None
    pointers = writer.stable(writer.expr(base), base)
    tile = writer.stable(writer.tile(distance), distance)
    text = f"{pointers.at(Level.ATOM)}.offset_tile({tile.text})"
    rust = rust_type(op.results[0].type).of(pointers.type.element)  # pyright: ignore[reportArgumentType]
    writer.define(op.results[0], Expr(text, rust, opaque=True, reads=pointers.reads | tile.reads), op)
