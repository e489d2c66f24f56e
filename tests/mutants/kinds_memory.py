"""Mutations of loads, stores, atomics and the views that they go through."""

from __future__ import annotations

from edit import (
    data_of,
    drop_operand,
    operand_index,
    other_values,
    put_instead,
    set_attribute,
    set_type,
    swap_operands,
    view_type,
)
from mutation import attribute, is_a, mutation
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope, PaddingValue
from ferrotile.ir.types import PartitionViewType, TileType


@mutation("drop mask", "operand")
def _(op: Operation) -> bool:
    if not is_a(op, "load_ptr_tko", "store_ptr_tko") or ir.operand(op, "mask") is None:
        return False
    drop_operand(op, "mask")
    return True


@mutation("padding", "padding")
def _(op: Operation) -> bool:
    if not is_a(op, "make_partition_view") or op.results[0].type.padding is None:  # type: ignore[attr-defined]
        return False
    old = op.results[0].type.padding  # type: ignore[attr-defined]
    view_type(op, padding=PaddingValue.NegInf if old is not PaddingValue.NegInf else PaddingValue.Zero)
    return True


@mutation("lost padding", "padding")
def _(op: Operation) -> bool:
    if not is_a(op, "make_partition_view") or op.results[0].type.padding is None:  # type: ignore[attr-defined]
        return False
    view_type(op, padding=None)
    return True


@mutation("dim_map", "type")
def _(op: Operation) -> bool:
    kind = op.results[0].type if op.results else None
    if not is_a(op, "make_partition_view") or not isinstance(kind, PartitionViewType) or len(kind.dim_map) < 2:
        return False
    view_type(op, dim_map=(*kind.dim_map[:-2], kind.dim_map[-1], kind.dim_map[-2]))
    return True


@mutation("view shape", "type", "operation", "operand")
def _(op: Operation) -> bool:
    """Tiles of a view are as high as they were wide; what is loaded and stored keeps its type by a reshape."""
    kind = op.results[0].type if op.results else None
    uses = [use.operation for use in op.results[0].uses] if op.results else []
    if not isinstance(kind, PartitionViewType) or not all(
        is_a(user, "load_view_tko", "store_view_tko") for user in uses
    ):
        return False
    turned = kind.tile_shape[::-1]
    if turned == kind.tile_shape:
        return False
    view_type(op, tile_shape=turned)
    for user in uses:
        (_reshape_loaded if is_a(user, "load_view_tko") else _reshape_stored)(user, turned)
    return True


def _reshape_loaded(op: Operation, shape: tuple[int, ...]) -> None:
    kind, block = op.results[0].type, op.parent_block()
    assert isinstance(kind, TileType) and block is not None
    set_type(op.results[0], TileType(kind.element, shape))
    back = ir.make("reshape", {"source": op.results[0]}, results=[kind])
    back.location = op.location  # type: ignore[attr-defined]
    block.insert_op_after(back, op)
    op.results[0].replace_uses_with_if(back.results[0], lambda use: use.operation is not back)


def _reshape_stored(op: Operation, shape: tuple[int, ...]) -> None:
    value, block = op.operands[0], op.parent_block()
    assert isinstance(value.type, TileType) and block is not None
    turned = ir.make("reshape", {"source": value}, results=[TileType(value.type.element, shape)])
    turned.location = op.location  # type: ignore[attr-defined]
    block.insert_op_before(turned, op)
    op.operands[0] = turned.results[0]


@mutation("index", "operand", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "store_view_tko"):
        return False
    indices = ir.operands(op, "index")
    if len(indices) < 2 or data_of(indices[0]) == data_of(indices[1]):
        return False
    at = operand_index(op, "index")
    swap_operands(op, at, at + 1)
    return True


@mutation("memory ordering", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "memory_ordering_semantics")
    if old is None:
        return False
    new = MemoryOrderingSemantics.RELAXED
    set_attribute(op, "memory_ordering_semantics", new if old is not new else MemoryOrderingSemantics.ACQ_REL)
    if attribute(op, "memory_scope") is None:
        set_attribute(op, "memory_scope", MemoryScope.DEVICE)
    return True


@mutation("scope", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "memory_scope")
    if old is None or attribute(op, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK:
        return False
    set_attribute(op, "memory_scope", MemoryScope.SYS if old is not MemoryScope.SYS else MemoryScope.TL_BLK)
    return True


@mutation("hint", "hint")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "store_view_tko", "load_ptr_tko", "store_ptr_tko"):
        return False
    old = dict(dict(attribute(op, "optimization_hints") or ()).get("default", ()))  # type: ignore[call-overload]
    old["latency"] = int(old.get("latency", 3)) + 1
    set_attribute(op, "optimization_hints", (("default", tuple(old.items())),))
    return True


@mutation("token edge", "order")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "store_view_tko", "load_ptr_tko", "store_ptr_tko", "atomic_rmw_tko"):
        return False
    token = ir.operand(op, "token")
    if token is None or (isinstance(token.owner, Operation) and is_a(token.owner, "make_token")):
        return False
    drop_operand(op, "token")
    return True


@mutation("promise to stay inside", "attribute")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "store_view_tko"):
        return False
    old: tuple[bool, ...] = attribute(op, "inbounds") or (False,) * len(ir.operands(op, "index"))  # type: ignore[assignment]
    set_attribute(op, "inbounds", (not old[0], *old[1:]))
    return True


@mutation("array", "operand", "divisibility")
def _(op: Operation) -> bool:
    if not is_a(op, "make_tensor_view"):
        return False
    for value in other_values(op, 0):
        op.operands[0] = value
        return True
    return False


@mutation("atomic mode", "attribute")
def _(op: Operation) -> bool:
    if not isinstance(attribute(op, "mode"), AtomicRMWMode):
        return False
    old = attribute(op, "mode")
    set_attribute(op, "mode", AtomicRMWMode.XOR if old is not AtomicRMWMode.XOR else AtomicRMWMode.OR)
    return True


@mutation("extra load", "operation")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "load_ptr_tko"):
        return False
    block = op.parent_block()
    assert block is not None
    block.insert_op_after(op.clone(), op)
    return True


@mutation("lost store", "operation")
def _(op: Operation) -> bool:
    if not is_a(op, "store_view_tko", "store_ptr_tko"):
        return False
    block = op.parent_block()
    assert block is not None
    new = ir.make("make_token", results=[op.results[0].type])
    put_instead(op, new)
    return True


def _swap_group(op: Operation, name: str) -> bool:
    """Two values of one operand name change places."""
    values = ir.operands(op, name) if is_a(op, "make_tensor_view") else ()
    if len(values) < 2 or data_of(values[0]) == data_of(values[1]):
        return False
    at = operand_index(op, name)
    swap_operands(op, at, at + 1)
    return True


@mutation("extents", "operand", "constant")
def _(op: Operation) -> bool:
    return _swap_group(op, "dynamicShape")


@mutation("strides", "operand", "constant")
def _(op: Operation) -> bool:
    return _swap_group(op, "dynamicStrides")


@mutation("stored value", "operand", "constant", "operation", around=True)
def _(op: Operation) -> bool:
    if not is_a(op, "store_view_tko", "store_ptr_tko"):
        return False
    at = operand_index(op, "tile" if is_a(op, "store_view_tko") else "value")
    for value in other_values(op, at):
        if data_of(value) != data_of(op.operands[at]):
            op.operands[at] = value
            return True
    return False
