"""Arithmetic and functions on floats, element by element."""

from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, RoundingMode
from ferrotile.ir.fields import FTZ, NAN, ROUNDING
from ferrotile.ir.spec import enum, op

EXP_ROUNDING = enum("rounding_mode", RoundingMode, since=(13, 3), default=RoundingMode.FULL)
TANH_ROUNDING = enum("rounding_mode", RoundingMode, since=(13, 2), default=RoundingMode.FULL)

ROWS = (
    op("absf", 0, "source", "result"),
    op("addf", 2, "lhs rhs", "result", [ROUNDING, FTZ]),
    op("atan2", 110, "x y", "result", since="13.2"),
    op("ceil", 13, "source", "result"),
    op(
        "cmpf", 14, "lhs rhs", "result",
        [enum("comparison_predicate", ComparisonPredicate), enum("comparison_ordering", ComparisonOrdering)],
    ),
    op("cos", 18, "source", "result"),
    op("cosh", 19, "source", "result"),
    op("divf", 20, "lhs rhs", "result", [ROUNDING, FTZ]),
    op("exp", 23, "source", "result", [EXP_ROUNDING]),
    op("exp2", 24, "source", "result", [FTZ]),
    op("floor", 39, "source", "result"),
    op("fma", 40, "lhs rhs acc", "result", [ROUNDING, FTZ]),
    op("fpowi", 121, "source exponent", "result", since="13.4"),
    op("log", 63, "source", "result"),
    op("log2", 64, "source", "result"),
    op("maxf", 69, "lhs rhs", "result", [NAN, FTZ]),
    op("minf", 71, "lhs rhs", "result", [NAN, FTZ]),
    op("mulf", 76, "lhs rhs", "result", [ROUNDING, FTZ]),
    op("negf", 79, "source", "result"),
    op("pow", 84, "source exponent", "result"),
    op("remf", 89, "lhs rhs", "result"),
    op("rsqrt", 93, "source", "result", [FTZ]),
    op("sin", 98, "source", "result"),
    op("sinh", 99, "source", "result"),
    op("sqrt", 100, "source", "result", [ROUNDING, FTZ]),
    op("subf", 103, "lhs rhs", "result", [ROUNDING, FTZ]),
    op("tan", 105, "source", "result"),
    op("tanh", 106, "source", "result", [TANH_ROUNDING]),
)  # fmt: skip
