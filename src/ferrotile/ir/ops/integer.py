"""Arithmetic, logic and comparison of integers, element by element."""

from collections.abc import Sequence

from ferrotile.ir.enums import ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.fields import OVERFLOW, SIGNEDNESS
from ferrotile.ir.rules import Rule, alike, one_of, same, same_shape, tile, when
from ferrotile.ir.spec import Field, OpRow, enum, example, op

NEG_OVERFLOW = enum("overflow", IntegerOverflow, since=(13, 2), default=IntegerOverflow.NONE)
UNARY = example("source result: 4xi32")

DIVISION = one_of("rounding", RoundingMode.ZERO, RoundingMode.NEGATIVE_INF, RoundingMode.POSITIVE_INF)
NO_UNSIGNED_FLOOR = when(
    "`rounding`: negative_inf only for signed", "rounding",
    lambda parts: parts.attribute("rounding") is not RoundingMode.NEGATIVE_INF
    or parts.attribute("signedness") is Signedness.Signed,
)  # fmt: skip
SIGNED_WRAP = one_of("overflow", IntegerOverflow.NONE, IntegerOverflow.NSW, IntegerOverflow.NW)


def binary(name: str, opcode: int, attributes: Sequence[Field] = (), rules: tuple[Rule, ...] = ()) -> OpRow:
    """A function of two integers."""
    rules = (*alike("lhs rhs result", "int"), *rules)
    sample = example("lhs rhs result: 4xi32", **({"rounding": RoundingMode.ZERO} if name == "divi" else {}))
    return op(name, opcode, "lhs rhs", "result", attributes, rules=rules, example=sample)


ROWS = (
    op("absi", 1, "source", "result", rules=alike("source result", "int"), example=UNARY),
    binary("addi", 3, [OVERFLOW]),
    binary("andi", 4),
    op(
        "cmpi", 15, "lhs rhs", "result", [enum("comparison_predicate", ComparisonPredicate), SIGNEDNESS],
        rules=(tile("lhs", "int"), same("lhs rhs"), tile("result", "i1"), same_shape("lhs result")),
        example=example("lhs rhs: 4xi32; result: 4xi1"),
    ),
    binary("divi", 21, [SIGNEDNESS, enum("rounding", RoundingMode)], (DIVISION, NO_UNSIGNED_FLOOR)),
    binary("maxi", 70, [SIGNEDNESS]),
    binary("mini", 72, [SIGNEDNESS]),
    op("mulhii", 77, "x y", "result", rules=alike("x y result", "int"), example=example("x y result: 4xi32")),
    binary("muli", 78, [OVERFLOW]),
    op(
        "negi", 80, "source", "result", [NEG_OVERFLOW],
        rules=(*alike("source result", "int"), SIGNED_WRAP), example=UNARY,
    ),
    binary("ori", 82),
    binary("remi", 90, [SIGNEDNESS]),
    binary("shli", 96, [OVERFLOW]),
    binary("shri", 97, [SIGNEDNESS]),
    binary("subi", 104, [OVERFLOW]),
    binary("xori", 108),
)  # fmt: skip
