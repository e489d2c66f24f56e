"""Loops, branches, what ends a block, and side effects that are not memory."""

from ferrotile.ir.attributes import Bounded, DivBy, SameElements
from ferrotile.ir.meaning import Driven
from ferrotile.ir.region_rules import (
    BREAKS,
    CONTINUES,
    FOR_ARGUMENTS,
    IF_YIELDS,
    LOOP_ARGUMENTS,
    NO_ARGUMENTS,
    RETURNS,
    YIELDS,
    ends_with,
)
from ferrotile.ir.rules import Parts, carried, each, same, tile, token, when
from ferrotile.ir.spec import Effect, Field, Kind, example, op, refuse
from ferrotile.ir.types import PointerType, ScalarType, TensorViewType, TileType

UNSIGNED = Field("unsignedCmp", Kind.UNIT, since=(13, 2), default=False)
CONTROL = Effect.CONTROL


def _counted(kind: object) -> bool:
    is_address = isinstance(kind, TileType) and isinstance(kind.element, PointerType)
    return is_address or isinstance(kind, TensorViewType) or _is_integer(kind)


def _is_integer(kind: object) -> bool:
    return isinstance(kind, TileType) and isinstance(kind.element, ScalarType) and kind.element.is_integer


def _holds(parts: Parts) -> bool:
    kind, predicate = parts.one("value"), parts.attribute("predicate")
    match predicate:
        case DivBy():
            is_power = predicate.divisor > 0 and not predicate.divisor & (predicate.divisor - 1)
            return is_power and _counted(kind) and (predicate.every is None) == (predicate.along is None)
        case Bounded():
            low, high = predicate.lb, predicate.ub
            ordered = low is None or high is None or low <= high
            return ordered and _is_integer(kind)
        case SameElements():
            return isinstance(kind, TileType) and len(predicate.values) == len(kind.shape)
        case _:
            return False


def _formats(parts: Parts) -> bool:
    text = parts.attribute("str").replace("%%", "")
    return text.count("%") == len(parts.types["args"])


CARRIED = (carried("initValues results"), when(
    "`results`: the types of `initValues`", "results",
    lambda parts: parts.types["initValues"] == parts.types["results"],
))  # fmt: skip
ANYTHING = each("operands", "a value", lambda kind: True)
THREE = ("gridSize_x gridSize_y gridSize_z", "blockId_x blockId_y blockId_z")

ROWS = (
    op(
        "assert",
        5,
        "condition",
        "",
        [Field("message", Kind.STR)],
        effect=Effect.WRITE,
        rules=(tile("condition", "i1"),),
        example=example("condition: i1", message="out of bounds"),
        evaluate=Driven("watch"),
        rust="cuda_tile_assert!({condition}, message)",
    ),
    op(
        "assume",
        6,
        "value",
        "result",
        [Field("predicate", Kind.TAGGED)],
        rules=(same("value result"), when("`predicate`: fits the type of `value`", "predicate", _holds)),
        example=example("value result: i32", predicate=DivBy(16)),
        evaluate=Driven("watch"),
        rust="unsafe assume_div_by::<_, N>({value})",
    ),
    op(
        "break",
        10,
        "operands*",
        "",
        effect=CONTROL,
        terminator=True,
        rules=(ANYTHING, BREAKS),
        example=example("operands: i32"),
        evaluate=Driven("control"),
        rust="break",
    ),
    op(
        "continue",
        17,
        "operands*",
        "",
        effect=CONTROL,
        terminator=True,
        rules=(ANYTHING, CONTINUES),
        example=example("operands: i32"),
        evaluate=Driven("control"),
        rust="(end of a loop body)",
    ),
    op(
        "for",
        41,
        "lowerBound upperBound step initValues*",
        "results*",
        [UNSIGNED],
        regions=1,
        effect=CONTROL,
        rules=(
            tile("lowerBound upperBound step", "int", 0),
            same("lowerBound upperBound step"),
            CARRIED,
            ends_with("continue", "return"),
            FOR_ARGUMENTS,
        ),
        example=example("lowerBound upperBound step: i32; initValues results: i32"),
        evaluate=Driven("control"),
        rust="for i in lowerBound..upperBound",
    ),
    op(
        "get_num_tile_blocks",
        46,
        "",
        THREE[0],
        rules=(tile(THREE[0], "i32", 0),),
        example=example(f"{THREE[0]}: i32"),
        evaluate=Driven("launch"),
        rust="get_num_tile_blocks()",
    ),
    op(
        "get_tile_block_id",
        48,
        "",
        THREE[1],
        rules=(tile(THREE[1], "i32", 0),),
        example=example(f"{THREE[1]}: i32"),
        evaluate=Driven("launch"),
        rust="get_tile_block_id()",
    ),
    op(
        "if",
        50,
        "condition",
        "results*",
        regions=2,
        may_be_empty=1,
        effect=CONTROL,
        rules=(
            tile("condition", "i1", 0),
            carried("results"),
            NO_ARGUMENTS,
            ends_with("yield", "return", "break", "continue"),
            IF_YIELDS,
        ),
        example=example("condition: i1; results: i32"),
        evaluate=Driven("control"),
        rust="if condition",
    ),
    op(
        "loop",
        65,
        "initValues*",
        "results*",
        regions=1,
        effect=CONTROL,
        rules=(carried("initValues results"), ends_with("continue", "break", "return"), LOOP_ARGUMENTS),
        example=example("initValues results: i32"),
        evaluate=Driven("control"),
        rust="loop",
    ),
    op(
        "print_tko",
        85,
        "args* token?@13.2",
        "result_token?@13.2",
        [Field("str", Kind.STR)],
        effect=Effect.WRITE,
        rules=(
            tile("args"),
            token("token result_token"),
            when("`str`: one conversion an argument", "str", _formats),
        ),
        example=example("args: 4xf32; token result_token: token", str="%f"),
        evaluate=Driven("watch"),
        rust="print_tko(format, value, token)",
    ),
    op(
        "return",
        92,
        "operands*",
        "",
        effect=CONTROL,
        terminator=True,
        rules=(ANYTHING, RETURNS),
        example=example(),
        evaluate=Driven("control"),
        rust="(end of the kernel)",
    ),
    op(
        "yield",
        109,
        "operands*",
        "",
        effect=CONTROL,
        terminator=True,
        rules=(ANYTHING, YIELDS),
        example=example("operands: i32"),
        evaluate=Driven("control"),
        rust="(end of a branch)",
    ),
    op(
        "preview$call",
        16386,
        "operands*",
        "results*",
        [
            Field("callee", Kind.STR),
            Field("const_args", Kind.ARRAY),
            Field("arg_attrs", Kind.ARRAY, optional=True),
            Field("res_attrs", Kind.ARRAY, optional=True),
        ],
        since="13.5",
        preview=True,
        effect=Effect.WRITE,
        rules=(carried("operands results"),),
        example=example("operands results: 4xf32", callee="sum"),
        evaluate=refuse("FT250", "a preview call is not part of public Tile IR"),
        rust=refuse("FT302", "a preview call is not part of public Tile IR"),
    ),
)
