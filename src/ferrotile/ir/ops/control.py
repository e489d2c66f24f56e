"""Loops, branches, what ends a block, and side effects that are not memory."""

from ferrotile.ir.spec import Effect, Field, Kind, op

UNSIGNED = Field("unsignedCmp", Kind.UNIT, since=(13, 2), default=False)
CONTROL = Effect.CONTROL

ROWS = (
    op("assert", 5, "condition", "", [Field("message", Kind.STR)], effect=Effect.WRITE),
    op("assume", 6, "value", "result", [Field("predicate", Kind.TAGGED)]),
    op("break", 10, "operands*", "", effect=CONTROL, terminator=True),
    op("continue", 17, "operands*", "", effect=CONTROL, terminator=True),
    op("for", 41, "lowerBound upperBound step initValues*", "results*", [UNSIGNED], regions=1, effect=CONTROL),
    op("get_num_tile_blocks", 46, "", "gridSize_x gridSize_y gridSize_z"),
    op("get_tile_block_id", 48, "", "blockId_x blockId_y blockId_z"),
    op("if", 50, "condition", "results*", regions=2, effect=CONTROL),
    op("loop", 65, "initValues*", "results*", regions=1, effect=CONTROL),
    op(
        "print_tko", 85, "args* token?@13.2", "result_token?@13.2", [Field("str", Kind.STR)],
        effect=Effect.WRITE,
    ),
    op("return", 92, "operands*", "", effect=CONTROL, terminator=True),
    op("yield", 109, "operands*", "", effect=CONTROL, terminator=True),
    op(
        "preview$call", 16386, "operands*", "results*",
        [
            Field("callee", Kind.STR),
            Field("const_args", Kind.ARRAY),
            Field("arg_attrs", Kind.ARRAY, optional=True),
            Field("res_attrs", Kind.ARRAY, optional=True),
        ],
        since="13.5", preview=True, effect=Effect.WRITE,
    ),
)  # fmt: skip
