"""Recognise a floor remainder, which cuTile Python spells as a remainder with a sign fix."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from ferrotile.ir import attribute, operand
from ferrotile.ir.enums import ComparisonPredicate, Signedness
from ferrotile.ir.types import TileType
from ferrotile.lift.definers import constant_of, definer, spread_source


@dataclass(frozen=True, slots=True)
class FloorRemainder:
    """`lhs - floor(lhs / rhs) * rhs`, spelled as a remainder with a sign fix."""

    lhs: SSAValue
    rhs: SSAValue

    @property
    def leaves(self) -> tuple[SSAValue, ...]:
        """The two operands."""
        return (self.lhs, self.rhs)


def floor_remainder(op: Operation) -> FloorRemainder | None:
    """`select((r < 0) ^ (b < 0) & (r != 0), r + b, r)` with `r = a % b`, as cuTile Python writes `%`."""
    type_ = op.results[0].type
    if not isinstance(type_, TileType) or str(type_.element) not in ("i32", "i64"):
        return None
    condition, moved, remainder = operand(op, "cond"), operand(op, "val_if_true"), operand(op, "val_if_false")
    modulo, both = definer(remainder, "remi"), definer(condition, "andi")
    if modulo is None or both is None or attribute(modulo, "signedness") is not Signedness.Signed:
        return None
    lhs, rhs = operand(modulo, "lhs"), operand(modulo, "rhs")
    total = definer(moved, "addi")
    assert lhs is not None and rhs is not None
    if total is None or tuple(total.operands) != (remainder, rhs):
        return None
    tests = list(both.operands)
    differ = definer(tests[0], "xori")
    if differ is None or not _compares(tests[1], ComparisonPredicate.NOT_EQUAL, remainder):
        return None
    signs = list(differ.operands)
    if not _compares(signs[0], ComparisonPredicate.LESS_THAN, remainder):
        return None
    return FloorRemainder(lhs, rhs) if _is_negative(signs[1], rhs) else None


def _is_negative(test: SSAValue, value: SSAValue) -> bool:
    """Whether `test` is `value < 0`, folded by the front end when `value` is a constant."""
    folded, number = constant_of(test), constant_of(value)
    if folded is not None and number is not None:
        return bool(folded) is (number < 0)
    return _compares(test, ComparisonPredicate.LESS_THAN, value)


def _compares(value: SSAValue, predicate: ComparisonPredicate, lhs: SSAValue | None) -> bool:
    """Whether `value` is `lhs <predicate> 0`, signed."""
    op = definer(value, "cmpi")
    if op is None or attribute(op, "comparison_predicate") is not predicate or operand(op, "lhs") is not lhs:
        return False
    rhs = operand(op, "rhs")
    assert rhs is not None
    zero = constant_of(rhs) == 0 or constant_of(spread_source(rhs)) == 0
    return zero and attribute(op, "signedness") is Signedness.Signed
