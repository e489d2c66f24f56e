"""Arithmetic and functions on floats, element by element."""

from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, RoundingMode
from ferrotile.ir.fields import FTZ, NAN, ROUNDING
from ferrotile.ir.rules import (
    APPROX_F32,
    DEVICE_ACCURACY,
    FTZ_F32,
    FULL_F32,
    IEEE,
    Rule,
    alike,
    one_of,
    same,
    same_shape,
    tile,
)
from ferrotile.ir.spec import Example, OpRow, enum, example, op

EXP_ROUNDING = enum("rounding_mode", RoundingMode, since=(13, 3), default=RoundingMode.FULL)
TANH_ROUNDING = enum("rounding_mode", RoundingMode, since=(13, 2), default=RoundingMode.FULL)

DIVISION = one_of("rounding_mode", *[mode for mode in RoundingMode if mode.value <= RoundingMode.FULL.value])
ROOT = one_of("rounding_mode", *[mode for mode in RoundingMode if mode.value <= RoundingMode.APPROX.value])

UNARY = example("source result: 4xf32")
BINARY = example("lhs rhs result: 4xf32")
ROUNDED = (*alike("lhs rhs result", "float"), IEEE, FTZ_F32)
DEVICE = (*alike("source result", "float"), DEVICE_ACCURACY, APPROX_F32)
LARGER = (*alike("lhs rhs result", "float"), FTZ_F32)


def unary(name: str, opcode: int) -> OpRow:
    """A function of one float without options."""
    return op(name, opcode, "source", "result", rules=alike("source result", "float"), example=UNARY)


def binary(name: str, opcode: int, words: str = "lhs rhs", since: str = "13.1") -> OpRow:
    """A function of two floats without options."""
    rules: tuple[Rule, ...] = alike(f"{words} result", "float")
    sample: Example = example(f"{words} result: 4xf32")
    return op(name, opcode, words, "result", since=since, rules=rules, example=sample)


ROWS = (
    unary("absf", 0),
    op("addf", 2, "lhs rhs", "result", [ROUNDING, FTZ], rules=ROUNDED, example=BINARY),
    binary("atan2", 110, "x y", "13.2"),
    unary("ceil", 13),
    op(
        "cmpf", 14, "lhs rhs", "result",
        [enum("comparison_predicate", ComparisonPredicate), enum("comparison_ordering", ComparisonOrdering)],
        rules=(tile("lhs", "float"), same("lhs rhs"), tile("result", "i1"), same_shape("lhs result")),
        example=example("lhs rhs: 4xf32; result: 4xi1"),
    ),
    unary("cos", 18),
    unary("cosh", 19),
    op(
        "divf", 20, "lhs rhs", "result", [ROUNDING, FTZ],
        rules=(alike("lhs rhs result", "float"), DIVISION, FULL_F32, FTZ_F32), example=BINARY,
    ),
    op("exp", 23, "source", "result", [EXP_ROUNDING], rules=DEVICE, example=UNARY),
    op("exp2", 24, "source", "result", [FTZ], rules=(*alike("source result", "float"), FTZ_F32), example=UNARY),
    unary("floor", 39),
    op(
        "fma", 40, "lhs rhs acc", "result", [ROUNDING, FTZ],
        rules=(alike("lhs rhs acc result", "float"), IEEE, FTZ_F32), example=example("lhs rhs acc result: 4xf32"),
    ),
    op(
        "fpowi", 121, "source exponent", "result", since="13.4",
        rules=(alike("source result", "float"), tile("exponent", "int"), same_shape("source exponent")),
        example=example("source result: 4xf32; exponent: 4xi32"),
    ),
    unary("log", 63),
    unary("log2", 64),
    op("maxf", 69, "lhs rhs", "result", [NAN, FTZ], rules=LARGER, example=BINARY),
    op("minf", 71, "lhs rhs", "result", [NAN, FTZ], rules=LARGER, example=BINARY),
    op("mulf", 76, "lhs rhs", "result", [ROUNDING, FTZ], rules=ROUNDED, example=BINARY),
    unary("negf", 79),
    binary("pow", 84, "source exponent"),
    binary("remf", 89),
    op("rsqrt", 93, "source", "result", [FTZ], rules=(*alike("source result", "float"), FTZ_F32), example=UNARY),
    unary("sin", 98),
    unary("sinh", 99),
    op(
        "sqrt", 100, "source", "result", [ROUNDING, FTZ],
        rules=(alike("source result", "float"), ROOT, APPROX_F32, FTZ_F32), example=UNARY,
    ),
    op("subf", 103, "lhs rhs", "result", [ROUNDING, FTZ], rules=ROUNDED, example=BINARY),
    unary("tan", 105),
    op("tanh", 106, "source", "result", [TANH_ROUNDING], rules=DEVICE, example=UNARY),
)  # fmt: skip
