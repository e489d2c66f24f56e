"""Arithmetic and functions on floats, element by element."""

import numpy as np

from ferrotile.ir import numeric
from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, RoundingMode
from ferrotile.ir.fields import FTZ, NAN, ROUNDING
from ferrotile.ir.meaning import Meaning, lanes
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


def unary(name: str, opcode: int, *, evaluate: Meaning, rust: str) -> OpRow:
    """A function of one float without options."""
    return op(
        name,
        opcode,
        "source",
        "result",
        rules=alike("source result", "float"),
        example=UNARY,
        evaluate=evaluate,
        rust=rust,
    )


def binary(
    name: str, opcode: int, words: str = "lhs rhs", since: str = "13.1", *, evaluate: Meaning, rust: str
) -> OpRow:
    """A function of two floats without options."""
    rules: tuple[Rule, ...] = alike(f"{words} result", "float")
    sample: Example = example(f"{words} result: 4xf32")
    return op(name, opcode, words, "result", since=since, rules=rules, example=sample, evaluate=evaluate, rust=rust)


ROWS = (
    unary("absf", 0, evaluate=lanes(lambda v: np.abs(v.source)), rust="absf({source})"),
    op(
        "addf",
        2,
        "lhs rhs",
        "result",
        [ROUNDING, FTZ],
        rules=ROUNDED,
        example=BINARY,
        evaluate=lanes(numeric.rounded("add", "lhs", "rhs")),
        rust=(
            "{lhs} + {rhs} when rounding_mode=NEAREST_EVEN, flush_to_zero=False",
            "addf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero})",
        ),
    ),
    binary("atan2", 110, "x y", "13.2", evaluate=lanes(numeric.function(np.arctan2, "x", "y")), rust="atan2({x}, {y})"),
    unary("ceil", 13, evaluate=lanes(numeric.function(np.ceil, "source")), rust="ceil({source})"),
    op(
        "cmpf",
        14,
        "lhs rhs",
        "result",
        [enum("comparison_predicate", ComparisonPredicate), enum("comparison_ordering", ComparisonOrdering)],
        rules=(tile("lhs", "float"), same("lhs rhs"), tile("result", "i1"), same_shape("lhs result")),
        example=example("lhs rhs: 4xf32; result: 4xi1"),
        evaluate=lanes(numeric.compare),
        rust=(
            "scalar {lhs} == {rhs} when comparison_predicate=EQUAL, comparison_ordering=ORDERED",
            "scalar {lhs} < {rhs} when comparison_predicate=LESS_THAN, comparison_ordering=ORDERED",
            "scalar {lhs} <= {rhs} when comparison_predicate=LESS_THAN_OR_EQUAL, comparison_ordering=ORDERED",
            "scalar {lhs} > {rhs} when comparison_predicate=GREATER_THAN, comparison_ordering=ORDERED",
            "scalar {lhs} >= {rhs} when comparison_predicate=GREATER_THAN_OR_EQUAL, comparison_ordering=ORDERED",
            "eq_tile({lhs}, {rhs}) when comparison_predicate=EQUAL, comparison_ordering=ORDERED",
            "lt_tile({lhs}, {rhs}) when comparison_predicate=LESS_THAN, comparison_ordering=ORDERED",
            "le_tile({lhs}, {rhs}) when comparison_predicate=LESS_THAN_OR_EQUAL, comparison_ordering=ORDERED",
            "gt_tile({lhs}, {rhs}) when comparison_predicate=GREATER_THAN, comparison_ordering=ORDERED",
            "ge_tile({lhs}, {rhs}) when comparison_predicate=GREATER_THAN_OR_EQUAL, comparison_ordering=ORDERED",
            "cmpf({lhs}, {rhs}, {comparison_predicate}, {comparison_ordering})",
        ),
    ),
    unary("cos", 18, evaluate=lanes(numeric.function(np.cos, "source")), rust="cos({source})"),
    unary("cosh", 19, evaluate=lanes(numeric.function(np.cosh, "source")), rust="cosh({source})"),
    op(
        "divf",
        20,
        "lhs rhs",
        "result",
        [ROUNDING, FTZ],
        rules=(alike("lhs rhs result", "float"), DIVISION, FULL_F32, FTZ_F32),
        example=BINARY,
        evaluate=lanes(numeric.rounded("div", "lhs", "rhs")),
        rust=(
            "{lhs} / {rhs} when rounding_mode=NEAREST_EVEN, flush_to_zero=False",
            "divide_full({lhs}, {rhs}) when rounding_mode=FULL, flush_to_zero=False",
            "divide_fast({lhs}, {rhs}) when rounding_mode=APPROX, flush_to_zero=True",
            "divf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero}) when rounding_mode=NEAREST_EVEN",
            "divf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero}) when rounding_mode=ZERO",
            "divf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero}) when rounding_mode=NEGATIVE_INF",
            "divf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero}) when rounding_mode=POSITIVE_INF",
            "divf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero}) when rounding_mode=APPROX",
        ),
    ),
    op(
        "exp",
        23,
        "source",
        "result",
        [EXP_ROUNDING],
        rules=DEVICE,
        example=UNARY,
        evaluate=lanes(numeric.function(np.exp, "source")),
        rust=(
            "exp({source}) when rounding_mode=FULL",
            "exp_fast({source}) when rounding_mode=APPROX, element=f32",
            "unsafe exp_with_rounding({source}, {rounding_mode})",
        ),
    ),
    op(
        "exp2",
        24,
        "source",
        "result",
        [FTZ],
        rules=(*alike("source result", "float"), FTZ_F32),
        example=UNARY,
        evaluate=lanes(numeric.function(np.exp2, "source")),
        rust="exp2({source}, {flush_to_zero})",
    ),
    unary("floor", 39, evaluate=lanes(numeric.function(np.floor, "source")), rust="floor({source})"),
    op(
        "fma",
        40,
        "lhs rhs acc",
        "result",
        [ROUNDING, FTZ],
        rules=(alike("lhs rhs acc result", "float"), IEEE, FTZ_F32),
        example=example("lhs rhs acc result: 4xf32"),
        evaluate=lanes(numeric.rounded("fma", "lhs", "rhs", "acc")),
        rust=(
            "mul_add({lhs}, {rhs}, {acc}) when rounding_mode=NEAREST_EVEN, flush_to_zero=False",
            "fma({lhs}, {rhs}, {acc}, {rounding_mode}, {flush_to_zero})",
        ),
    ),
    op(
        "fpowi",
        121,
        "source exponent",
        "result",
        since="13.4",
        rules=(alike("source result", "float"), tile("exponent", "int"), same_shape("source exponent")),
        example=example("source result: 4xf32; exponent: 4xi32"),
        evaluate=lanes(numeric.function(numeric.power, "source", "exponent")),
        rust="unsafe fpowi({source}, {exponent})",
    ),
    unary("log", 63, evaluate=lanes(numeric.function(np.log, "source")), rust="log({source})"),
    unary("log2", 64, evaluate=lanes(numeric.function(np.log2, "source")), rust="log2({source})"),
    op(
        "maxf",
        69,
        "lhs rhs",
        "result",
        [NAN, FTZ],
        rules=LARGER,
        example=BINARY,
        evaluate=lanes(numeric.extreme(largest=True)),
        rust=(
            "max_tile({lhs}, {rhs}) when propagate_nan=False, flush_to_zero=False",
            "maxf({lhs}, {rhs}, {propagate_nan}, {flush_to_zero})",
        ),
    ),
    op(
        "minf",
        71,
        "lhs rhs",
        "result",
        [NAN, FTZ],
        rules=LARGER,
        example=BINARY,
        evaluate=lanes(numeric.extreme(largest=False)),
        rust=(
            "min_tile({lhs}, {rhs}) when propagate_nan=False, flush_to_zero=False",
            "minf({lhs}, {rhs}, {propagate_nan}, {flush_to_zero})",
        ),
    ),
    op(
        "mulf",
        76,
        "lhs rhs",
        "result",
        [ROUNDING, FTZ],
        rules=ROUNDED,
        example=BINARY,
        evaluate=lanes(numeric.rounded("mul", "lhs", "rhs")),
        rust=(
            "{lhs} * {rhs} when rounding_mode=NEAREST_EVEN, flush_to_zero=False",
            "mulf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero})",
        ),
    ),
    unary("negf", 79, evaluate=lanes(numeric.negate), rust="negf({source})"),
    binary(
        "fpowf",
        84,
        "source exponent",
        evaluate=lanes(numeric.function(numeric.power, "source", "exponent")),
        rust="pow({source}, {exponent})",
    ),
    binary("remf", 89, evaluate=lanes(numeric.function(np.fmod, "lhs", "rhs")), rust="{lhs} % {rhs}"),
    op(
        "rsqrt",
        93,
        "source",
        "result",
        [FTZ],
        rules=(*alike("source result", "float"), FTZ_F32),
        example=UNARY,
        evaluate=lanes(numeric.function(numeric.reciprocal_root, "source")),
        rust="rsqrt({source}, {flush_to_zero})",
    ),
    unary("sin", 98, evaluate=lanes(numeric.function(np.sin, "source")), rust="sin({source})"),
    unary("sinh", 99, evaluate=lanes(numeric.function(np.sinh, "source")), rust="sinh({source})"),
    op(
        "sqrt",
        100,
        "source",
        "result",
        [ROUNDING, FTZ],
        rules=(alike("source result", "float"), ROOT, APPROX_F32, FTZ_F32),
        example=UNARY,
        evaluate=lanes(numeric.rounded("sqrt", "source")),
        rust="sqrt({source}, {rounding_mode}, {flush_to_zero})",
    ),
    op(
        "subf",
        103,
        "lhs rhs",
        "result",
        [ROUNDING, FTZ],
        rules=ROUNDED,
        example=BINARY,
        evaluate=lanes(numeric.rounded("sub", "lhs", "rhs")),
        rust=(
            "{lhs} - {rhs} when rounding_mode=NEAREST_EVEN, flush_to_zero=False",
            "subf({lhs}, {rhs}, {rounding_mode}, {flush_to_zero})",
        ),
    ),
    unary("tan", 105, evaluate=lanes(numeric.function(np.tan, "source")), rust="tan({source})"),
    op(
        "tanh",
        106,
        "source",
        "result",
        [TANH_ROUNDING],
        rules=DEVICE,
        example=UNARY,
        evaluate=lanes(numeric.function(np.tanh, "source")),
        rust=(
            "tanh({source}) when rounding_mode=FULL",
            "tanh_fast({source}) when rounding_mode=APPROX, element=f32",
            "unsafe tanh_with_rounding({source}, {rounding_mode})",
        ),
    ),
)
