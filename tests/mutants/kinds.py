"""Mutations: each changes one operation so that the program means something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edit import (
    drop_operand,
    operand_index,
    other_values,
    put_instead,
    rename,
    set_attribute,
    set_type,
    swap_operands,
    view_type,
)  # fmt: skip
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.ir.enums import (
    AtomicRMWMode,
    ComparisonOrdering,
    ComparisonPredicate,
    IntegerOverflow,
    MemoryOrderingSemantics,
    MemoryScope,
    PaddingValue,
    RoundingMode,
    Signedness,
)  # fmt: skip
from ferrotile.ir.types import PartitionViewType, ScalarType, TileType

Mutate = Callable[[Operation], bool]
"""Changes an operation and says so; leaves it alone if the mutation does not apply."""


@dataclass(frozen=True)
class Mutation:
    """One kind of mutation, and which kinds of difference check may call it."""

    name: str
    mutate: Mutate
    kinds: tuple[str, ...]


MUTATIONS: list[Mutation] = []


def mutation(name: str, *kinds: str) -> Callable[[Mutate], Mutate]:
    """Enter a mutation into the table."""

    def enter(mutate: Mutate) -> Mutate:
        MUTATIONS.append(Mutation(name, mutate, kinds))
        return mutate

    return enter


def is_a(op: Operation, *names: str) -> bool:
    """Whether an operation has one of these names."""
    return op.name.removeprefix("cuda_tile.") in names


def attribute(op: Operation, name: str) -> object:
    """An attribute, or `None` if the operation does not have it."""
    value = op.properties.get(name)
    return value.data if value is not None else None


@mutation("drop mask", "operand")
def _(op: Operation) -> bool:
    if not is_a(op, "load_ptr_tko", "store_ptr_tko") or ir.operand(op, "mask") is None:
        return False
    drop_operand(op, "mask")
    return True


@mutation("swap operands", "operand")
def _(op: Operation) -> bool:
    if not is_a(op, "subf", "subi", "divf", "divi", "remi", "cmpi", "cmpf", "mulf", "addf"):
        return False
    if op.operands[0] is op.operands[1]:
        return False
    swap_operands(op, 0, 1)
    return True


@mutation("block id axis", "operand")
def _(op: Operation) -> bool:
    for k, value in enumerate(op.operands):
        owner = value.owner
        if isinstance(owner, Operation) and is_a(owner, "get_tile_block_id"):
            at = list(owner.results).index(value)
            op.operands[k] = owner.results[(at + 1) % 3]
            return True
    return False


@mutation("reduced axis", "attribute")
def _(op: Operation) -> bool:
    if not is_a(op, "reduce", "scan", "cat"):
        return False
    set_attribute(op, "dim", 1 - attribute(op, "dim"))  # type: ignore[operator]
    return True


@mutation("predicate", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "comparison_predicate")
    if old is None:
        return False
    set_attribute(op, "comparison_predicate", list(ComparisonPredicate)[(old.value + 1) % 6])  # type: ignore[attr-defined]
    return True


@mutation("NaN in a comparison", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "comparison_ordering")
    if old is None:
        return False
    set_attribute(op, "comparison_ordering", list(ComparisonOrdering)[1 - old.value])  # type: ignore[attr-defined]
    return True


@mutation("signedness", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "signedness")
    if old is None:
        return False
    set_attribute(op, "signedness", list(Signedness)[1 - old.value])  # type: ignore[attr-defined]
    return True


@mutation("identity", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "identities")
    if not old:
        return False
    first = old[0]  # type: ignore[index]
    new = (
        ir.FloatAttr(first.type, first.bits ^ 1)
        if isinstance(first, ir.FloatAttr)
        else ir.IntAttr(first.type, first.value + 1)
    )
    set_attribute(op, "identities", (new, *old[1:]))  # type: ignore[index]
    return True


def _constant(op: Operation, is_float: bool) -> bytes | None:
    if not is_a(op, "constant"):
        return None
    kind = op.results[0].type
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType) or kind.element.name == "i1":
        return None
    return attribute(op, "value") if kind.element.is_float is is_float else None  # type: ignore[return-value]


@mutation("constant by one ulp", "constant")
def _(op: Operation) -> bool:
    data = _constant(op, True)
    if not data:
        return False
    set_attribute(op, "value", bytes([data[0] ^ 1]) + data[1:])
    return True


@mutation("integer constant", "constant")
def _(op: Operation) -> bool:
    data = _constant(op, False)
    if not data:
        return False
    set_attribute(op, "value", bytes([data[0] ^ 4]) + data[1:])
    return True


def _data(value: object) -> object:
    """What tells a value from another one: the bytes of a constant, or the value."""
    owner = value.owner  # type: ignore[attr-defined]
    return attribute(owner, "value") if isinstance(owner, Operation) and is_a(owner, "constant") else value


@mutation("loop bound", "operand", "operation", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "for"):
        return False
    for value in other_values(op, 1):
        if _data(value) != _data(op.operands[1]):
            op.operands[1] = value
            return True
    return False


@mutation("loop step", "operand", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "for") or _data(op.operands[1]) == _data(op.operands[2]):
        return False
    op.operands[2] = op.operands[1]
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


@mutation("view shape", "type")
def _(op: Operation) -> bool:
    kind = op.results[0].type if op.results else None
    if not isinstance(kind, PartitionViewType):
        return False
    view_type(op, tile_shape=(*kind.tile_shape[:-1], kind.tile_shape[-1] * 2))
    return True


@mutation("index", "operand", "constant")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "store_view_tko"):
        return False
    indices = ir.operands(op, "index")
    if len(indices) < 2 or indices[0] is indices[1]:
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


@mutation("rounding", "attribute")
def _(op: Operation) -> bool:
    name = next((n for n in ("rounding_mode", "rounding") if attribute(op, n) is not None), None)
    if name is None:
        return False
    old = attribute(op, name)
    set_attribute(op, name, RoundingMode.ZERO if old is not RoundingMode.ZERO else RoundingMode.POSITIVE_INF)
    return True


@mutation("flush to zero", "attribute")
def _(op: Operation) -> bool:
    old = attribute(op, "flush_to_zero")
    if old is None and "flush_to_zero" not in ir.row(op).field:
        return False
    set_attribute(op, "flush_to_zero", not old)
    return True


@mutation("overflow promise", "attribute")
def _(op: Operation) -> bool:
    if not isinstance(attribute(op, "overflow"), IntegerOverflow):
        return False
    old = attribute(op, "overflow")
    set_attribute(op, "overflow", IntegerOverflow.NSW if old is IntegerOverflow.NONE else IntegerOverflow.NONE)
    return True


@mutation("cast", "type")
def _(op: Operation) -> bool:
    if not is_a(op, "ftof", "itof"):
        return False
    kind = op.results[0].type
    assert isinstance(kind, TileType)
    set_type(op.results[0], TileType(ScalarType("bf16" if kind.element.name != "bf16" else "f16"), kind.shape))
    return True


def _starts(op: Operation, k: int) -> object:
    """What a carried value starts as; two that start alike may change places."""
    loop = op.parent_op()
    while loop is not None and not is_a(loop, "for", "loop"):
        loop = loop.parent_op()
    assert loop is not None
    return _data(ir.operands(loop, "initValues")[k])


@mutation("carried value swap", "operand", "operation", "constant", "order", "type")
def _(op: Operation) -> bool:
    if not is_a(op, "continue"):
        return False
    for i in range(len(op.operands)):
        for j in range(i):
            same = op.operands[i] is op.operands[j] or op.operands[i].type != op.operands[j].type
            if not same and _starts(op, i) != _starts(op, j):
                swap_operands(op, i, j)
                return True
    return False


@mutation("divisibility", "divisibility")
def _(op: Operation) -> bool:
    old = attribute(op, "predicate")
    if not is_a(op, "assume") or not isinstance(old, ir.DivBy):
        return False
    set_attribute(op, "predicate", ir.DivBy(old.divisor * 2, old.every, old.along))
    return True


@mutation("atomic mode", "attribute")
def _(op: Operation) -> bool:
    if not isinstance(attribute(op, "mode"), AtomicRMWMode):
        return False
    old = attribute(op, "mode")
    set_attribute(op, "mode", AtomicRMWMode.XOR if old is not AtomicRMWMode.XOR else AtomicRMWMode.OR)
    return True


OTHER = {
    "addf": "subf", "subf": "addf", "mulf": "addf", "maxf": "minf", "minf": "maxf", "andi": "ori", "ori": "xori",
    "addi": "subi", "muli": "addi", "exp": "log", "exp2": "log2", "divf": "mulf", "mini": "maxi", "xori": "andi",
}  # fmt: skip


@mutation("operation", "operation", "operand")
def _(op: Operation) -> bool:
    other = OTHER.get(op.name.removeprefix("cuda_tile."))
    if other is None:
        return False
    rename(op, other)
    return True


@mutation("lost operation", "operation", "operand", "constant", "type")
def _(op: Operation) -> bool:
    if not is_a(op, "negf", "exp", "exp2", "rsqrt", "absf", "addf", "mulf", "andi", "addi", "fma"):
        return False
    if op.operands[0].type != op.results[0].type:
        return False
    block = op.parent_block()
    assert block is not None
    op.results[0].replace_all_uses_with(op.operands[0])
    block.erase_op(op)
    return True


@mutation("array", "operand")
def _(op: Operation) -> bool:
    if not is_a(op, "make_tensor_view"):
        return False
    for value in other_values(op, 0):
        op.operands[0] = value
        return True
    return False


@mutation("scan direction", "attribute")
def _(op: Operation) -> bool:
    if not is_a(op, "scan"):
        return False
    set_attribute(op, "reverse", not attribute(op, "reverse"))
    return True


@mutation("NaN in a maximum", "attribute")
def _(op: Operation) -> bool:
    if not is_a(op, "maxf", "minf"):
        return False
    set_attribute(op, "propagate_nan", not attribute(op, "propagate_nan"))
    return True


@mutation("promise to stay inside", "attribute")
def _(op: Operation) -> bool:
    if not is_a(op, "load_view_tko", "store_view_tko"):
        return False
    count = len(ir.operands(op, "index"))
    set_attribute(op, "inbounds", (True, *[False] * (count - 1)))
    return True


@mutation("branches swapped", "operand", "operation", "constant", "attribute", "type")
def _(op: Operation) -> bool:
    if not is_a(op, "select") or op.operands[1] is op.operands[2]:
        return False
    swap_operands(op, 1, 2)
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
