"""Mutations of operations on values."""

from __future__ import annotations

from edit import data_of, rename, set_attribute, swap_operands
from mutation import attribute, is_a, mutation
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.types import ScalarType, TileType


@mutation("swap operands", "operand")
def _(op: Operation) -> bool:
    if not is_a(op, "subf", "subi", "divf", "divi", "remi", "cmpi", "cmpf", "mulf", "addf"):
        return False
    if data_of(op.operands[0]) == data_of(op.operands[1]):
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
    old: int = attribute(op, "dim")  # type: ignore[assignment]
    shape = op.operands[0].type.shape  # type: ignore[attr-defined]
    for new in range(len(shape)):
        # The result keeps its type only where both axes have one extent, or none goes away.
        if new != old and (is_a(op, "scan") or shape[new] == shape[old]):
            set_attribute(op, "dim", new)
            return True
    return False


@mutation("permutation", "attribute", "operation")
def _(op: Operation) -> bool:
    old: tuple[int, ...] | None = attribute(op, "permutation")  # type: ignore[assignment]
    kind = op.operands[0].type if is_a(op, "permute") else None
    if old is None or not isinstance(kind, TileType):
        return False
    for i in range(len(old)):
        for j in range(i):
            if kind.shape[old[i]] == kind.shape[old[j]] > 1:
                new = list(old)
                new[i], new[j] = new[j], new[i]
                set_attribute(op, "permutation", tuple(new))
                return True
    return False


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


NARROWER = {"f64": "f32", "f32": "bf16", "f16": "f8E5M2", "bf16": "f8E5M2", "tf32": "bf16"}


@mutation("cast", "type", "operation", "operand", "constant", around=True)
def _(op: Operation) -> bool:
    """What a cast gives has been another, narrower type for a moment."""
    kind = op.results[0].type if is_a(op, "ftof", "itof") else None
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType) or kind.element.name not in NARROWER:
        return False
    narrow = TileType(ScalarType(NARROWER[kind.element.name]), kind.shape)
    rounding = {"rounding_mode": RoundingMode.NEAREST_EVEN}
    down = ir.make("ftof", {"from": op.results[0]}, rounding, [narrow])
    up = ir.make("ftof", {"from": down.results[0]}, rounding, [kind])
    block = op.parent_block()
    assert block is not None
    op.results[0].replace_uses_with_if(up.results[0], lambda use: use.operation is not down)
    block.insert_ops_after([down, up], op)
    for new in (down, up):
        new.location = op.location  # type: ignore[attr-defined]
    return True


@mutation("divisibility", "divisibility")
def _(op: Operation) -> bool:
    old = attribute(op, "predicate")
    if not is_a(op, "assume") or not isinstance(old, ir.DivBy):
        return False
    set_attribute(op, "predicate", ir.DivBy(old.divisor * 2, old.every, old.along))
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


@mutation("branches swapped", "operand", "operation", "constant", "attribute", "type")
def _(op: Operation) -> bool:
    if not is_a(op, "select") or op.operands[1] is op.operands[2]:
        return False
    swap_operands(op, 1, 2)
    return True
