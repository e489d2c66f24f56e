"""Arithmetic, logic and comparison of integers, element by element."""

from ferrotile.ir.enums import ComparisonPredicate, IntegerOverflow, RoundingMode
from ferrotile.ir.fields import OVERFLOW, SIGNEDNESS
from ferrotile.ir.spec import enum, op

NEG_OVERFLOW = enum("overflow", IntegerOverflow, since=(13, 2), default=IntegerOverflow.NONE)

ROWS = (
    op("absi", 1, "source", "result"),
    op("addi", 3, "lhs rhs", "result", [OVERFLOW]),
    op("andi", 4, "lhs rhs", "result"),
    op("cmpi", 15, "lhs rhs", "result", [enum("comparison_predicate", ComparisonPredicate), SIGNEDNESS]),
    op("divi", 21, "lhs rhs", "result", [SIGNEDNESS, enum("rounding", RoundingMode)]),
    op("maxi", 70, "lhs rhs", "result", [SIGNEDNESS]),
    op("mini", 72, "lhs rhs", "result", [SIGNEDNESS]),
    op("mulhii", 77, "x y", "result"),
    op("muli", 78, "lhs rhs", "result", [OVERFLOW]),
    op("negi", 80, "source", "result", [NEG_OVERFLOW]),
    op("ori", 82, "lhs rhs", "result"),
    op("remi", 90, "lhs rhs", "result", [SIGNEDNESS]),
    op("shli", 96, "lhs rhs", "result", [OVERFLOW]),
    op("shri", 97, "lhs rhs", "result", [SIGNEDNESS]),
    op("subi", 104, "lhs rhs", "result", [OVERFLOW]),
    op("xori", 108, "lhs rhs", "result"),
)  # fmt: skip
