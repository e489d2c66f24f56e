"""What a module declares; `entry`, `global` and `module` are written in sections of their own."""

from ferrotile.ir.enums import SymbolVisibility
from ferrotile.ir.meaning import Driven
from ferrotile.ir.region_rules import ENTRY_ARGUMENTS, ends_with
from ferrotile.ir.rules import Parts, tile, when
from ferrotile.ir.spec import Effect, Field, Kind, enum, example, op, refuse
from ferrotile.ir.types import FunctionType, TileType

VISIBILITY = enum("symbol_visibility", SymbolVisibility, since=(13, 3), default=SymbolVisibility.Public)
SYMBOL = Effect.SYMBOL


def _is_signature(parts: Parts) -> bool:
    kind = parts.attribute("function_type")
    scalars = all(isinstance(item, TileType) and not item.shape for item in kind.arguments)
    return isinstance(kind, FunctionType) and scalars and not kind.results


ROWS = (
    op(
        "entry",
        22,
        "",
        "",
        [
            Field("sym_name", Kind.STR),
            Field("function_type", Kind.TYPE),
            Field("arg_attrs", Kind.ARRAY, optional=True, since=(13, 5), default=None),
            Field("res_attrs", Kind.ARRAY, optional=True),
            Field("optimization_hints", Kind.HINTS, optional=True),
        ],
        regions=1,
        effect=SYMBOL,
        rules=(
            when("`function_type`: scalars in, nothing out", "function_type", _is_signature),
            ENTRY_ARGUMENTS,
            ends_with("return"),
        ),
        example=example(
            sym_name="example",
            function_type=FunctionType((), ()),
            optimization_hints=(("sm_90", (("occupancy", 2),)),),
        ),
        evaluate=Driven("launch"),
        rust="#[cutile::entry()]",
    ),
    op(
        "get_global",
        44,
        "",
        "result",
        [Field("name", Kind.STR)],
        rules=(tile("result", "pointer", 0),),
        example=example("result: ptr<f32>", name="table"),
        evaluate=Driven("launch"),
        rust=refuse("FT302", "cutile 0.5.0 reads a `Global` by methods, not by its address"),
    ),
    op(
        "global",
        49,
        "",
        "",
        [
            Field("sym_name", Kind.STR),
            Field("value", Kind.CONSTANT),
            Field("alignment", Kind.INT),
            Field("constant", Kind.UNIT, since=(13, 3), default=False),
            VISIBILITY,
        ],
        effect=SYMBOL,
        rules=(when("`value`: some bytes", "value", lambda parts: bool(parts.attribute("value"))),),
        example=example(sym_name="table", value=bytes(16), alignment=16),
        evaluate=Driven("launch"),
        rust=refuse("FT302", "cutile 0.5.0 names the symbol of a `Global` itself"),
    ),
    op(
        "module",
        75,
        "",
        "",
        [Field("sym_name", Kind.STR), Field("producer", Kind.STR, optional=True, since=(13, 3), default=None)],
        regions=1,
        effect=SYMBOL,
        rules=(when("`sym_name`: not empty", "sym_name", lambda parts: bool(parts.attribute("sym_name"))),),
        example=example(sym_name="kernels"),
        evaluate=Driven("launch"),
        rust="#[cutile::module]",
    ),
)
