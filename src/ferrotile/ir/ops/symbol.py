"""What a module declares; `entry`, `global` and `module` are written in sections of their own."""

from ferrotile.ir.enums import SymbolVisibility
from ferrotile.ir.spec import Effect, Field, Kind, enum, op

VISIBILITY = enum("symbol_visibility", SymbolVisibility, since=(13, 3), default=SymbolVisibility.Public)
SYMBOL = Effect.SYMBOL

ROWS = (
    op(
        "entry", 22, "", "",
        [
            Field("sym_name", Kind.STR),
            Field("function_type", Kind.TYPE),
            Field("arg_attrs", Kind.ARRAY, optional=True, since=(13, 5), default=None),
            Field("res_attrs", Kind.ARRAY, optional=True),
            Field("optimization_hints", Kind.HINTS, optional=True),
        ],
        regions=1, effect=SYMBOL,
    ),
    op("get_global", 44, "", "result", [Field("name", Kind.STR)]),
    op(
        "global", 49, "", "",
        [
            Field("sym_name", Kind.STR),
            Field("value", Kind.CONSTANT),
            Field("alignment", Kind.INT),
            Field("constant", Kind.UNIT, since=(13, 3), default=False),
            VISIBILITY,
        ],
        effect=SYMBOL,
    ),
    op(
        "module", 75, "", "",
        [Field("sym_name", Kind.STR), Field("producer", Kind.STR, optional=True, since=(13, 3), default=None)],
        regions=1, effect=SYMBOL,
    ),
)  # fmt: skip
