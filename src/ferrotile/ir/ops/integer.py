"""Arithmetic, logic and comparison of integers, element by element."""

from collections.abc import Sequence

import numpy as np

from ferrotile.ir import integers
from ferrotile.ir.enums import ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.fields import OVERFLOW, SIGNEDNESS
from ferrotile.ir.meaning import Meaning, Spread, lanes
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


def binary(
    name: str,
    opcode: int,
    attributes: Sequence[Field] = (),
    rules: tuple[Rule, ...] = (),
    *,
    evaluate: Meaning,
    rust: str | tuple[str, ...],
) -> OpRow:
    """A function of two integers."""
    rules = (*alike("lhs rhs result", "int"), *rules)
    sample = example("lhs rhs result: 4xi32", **({"rounding": RoundingMode.ZERO} if name == "divi" else {}))
    return op(name, opcode, "lhs rhs", "result", attributes, rules=rules, example=sample, evaluate=evaluate, rust=rust)


ROWS = (
    op(
        "absi",
        1,
        "source",
        "result",
        rules=alike("source result", "int"),
        example=UNARY,
        evaluate=lanes(integers.absolute),
        rust="absi({source})",
    ),
    binary(
        "addi",
        3,
        [OVERFLOW],
        evaluate=lanes(integers.arithmetic(np.add)),
        rust=(
            "{lhs} + {rhs} when overflow=NONE",
            "add_wrapping({lhs}, {rhs}) when overflow=NONE",
            "addi({lhs}, {rhs}, {overflow})",
        ),
    ),
    binary(
        "andi",
        4,
        evaluate=Meaning(integers.bitwise(np.bitwise_and), Spread.ABSORB),
        rust=("{lhs} & {rhs}", "andi({lhs}, {rhs})"),
    ),
    op(
        "cmpi",
        15,
        "lhs rhs",
        "result",
        [enum("comparison_predicate", ComparisonPredicate), SIGNEDNESS],
        rules=(tile("lhs", "int"), same("lhs rhs"), tile("result", "i1"), same_shape("lhs result")),
        example=example("lhs rhs: 4xi32; result: 4xi1"),
        evaluate=lanes(integers.compare),
        rust=(
            "scalar {lhs} == {rhs} when comparison_predicate=EQUAL",
            "scalar {lhs} != {rhs} when comparison_predicate=NOT_EQUAL",
            "scalar {lhs} < {rhs} when comparison_predicate=LESS_THAN",
            "scalar {lhs} <= {rhs} when comparison_predicate=LESS_THAN_OR_EQUAL",
            "scalar {lhs} > {rhs} when comparison_predicate=GREATER_THAN",
            "scalar {lhs} >= {rhs} when comparison_predicate=GREATER_THAN_OR_EQUAL",
            "less_unsigned({lhs}, {rhs}) when comparison_predicate=LESS_THAN, signedness=Unsigned",
            "cmpi({lhs}, {rhs}, {comparison_predicate})",
        ),
    ),
    binary(
        "divi",
        21,
        [SIGNEDNESS, enum("rounding", RoundingMode)],
        (DIVISION, NO_UNSIGNED_FLOOR),
        evaluate=lanes(integers.divide),
        rust=(
            "{lhs} / {rhs} when rounding=ZERO",
            "scalar ceil_div({lhs}, {rhs}) when rounding=POSITIVE_INF, signedness=Signed, element=i32",
            "scalar ceil_div({lhs}, {rhs}) when rounding=POSITIVE_INF, signedness=Signed, element=i64",
            "scalar floor_div({lhs}, {rhs}) when rounding=NEGATIVE_INF, signedness=Signed, element=i32",
            "divi({lhs}, {rhs}, {rounding})",
        ),
    ),
    binary(
        "maxi",
        70,
        [SIGNEDNESS],
        evaluate=lanes(integers.extreme(largest=True)),
        rust=(
            "scalar max({lhs}, {rhs})",
            "maxi({lhs}, {rhs})",
        ),
    ),
    binary(
        "mini",
        72,
        [SIGNEDNESS],
        evaluate=lanes(integers.extreme(largest=False)),
        rust=(
            "scalar min({lhs}, {rhs})",
            "mini({lhs}, {rhs})",
        ),
    ),
    op(
        "mulhii",
        77,
        "x y",
        "result",
        rules=alike("x y result", "int"),
        example=example("x y result: 4xi32"),
        evaluate=lanes(integers.high_product),
        rust="mulhii({x}, {y})",
    ),
    binary(
        "muli",
        78,
        [OVERFLOW],
        evaluate=lanes(integers.arithmetic(np.multiply)),
        rust=(
            "{lhs} * {rhs} when overflow=NONE",
            "mul_wrapping({lhs}, {rhs}) when overflow=NONE",
            "muli({lhs}, {rhs}, {overflow})",
        ),
    ),
    op(
        "negi",
        80,
        "source",
        "result",
        [NEG_OVERFLOW],
        rules=(*alike("source result", "int"), SIGNED_WRAP),
        example=UNARY,
        evaluate=lanes(integers.negate),
        rust=("negate({source}) when overflow=NONE", "negi({source}, {overflow})"),
    ),
    binary(
        "ori",
        82,
        evaluate=Meaning(integers.bitwise(np.bitwise_or), Spread.ABSORB),
        rust=("{lhs} | {rhs}", "ori({lhs}, {rhs})"),
    ),
    binary("remi", 90, [SIGNEDNESS], evaluate=lanes(integers.remainder), rust=("{lhs} % {rhs}", "remi({lhs}, {rhs})")),
    binary(
        "shli",
        96,
        [OVERFLOW],
        evaluate=lanes(integers.shift_left),
        rust=(
            "{lhs} << {rhs} when overflow=NONE",
            "shift_left({lhs}, {rhs}) when overflow=NONE",
            "shli({lhs}, {rhs}, {overflow})",
        ),
    ),
    binary(
        "shri", 97, [SIGNEDNESS], evaluate=lanes(integers.shift_right), rust=("{lhs} >> {rhs}", "shri({lhs}, {rhs})")
    ),
    binary(
        "subi",
        104,
        [OVERFLOW],
        evaluate=lanes(integers.arithmetic(np.subtract)),
        rust=(
            "{lhs} - {rhs} when overflow=NONE",
            "sub_wrapping({lhs}, {rhs}) when overflow=NONE",
            "subi({lhs}, {rhs}, {overflow})",
        ),
    ),
    binary("xori", 108, evaluate=lanes(integers.bitwise(np.bitwise_xor)), rust=("{lhs} ^ {rhs}", "xori({lhs}, {rhs})")),
)
