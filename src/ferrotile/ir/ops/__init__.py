"""The operation table: one row an operation, by family."""

from ferrotile.ir.ops import (
    atomic,
    control,
    convert,
    float,
    integer,
    matrix,
    memory,
    multimem,
    shape,
    symbol,
    view,
)
from ferrotile.ir.spec import OpRow

FAMILIES: dict[str, tuple[OpRow, ...]] = {
    "symbol": symbol.ROWS,
    "control": control.ROWS,
    "float": float.ROWS,
    "integer": integer.ROWS,
    "convert": convert.ROWS,
    "shape": shape.ROWS,
    "matrix": matrix.ROWS,
    "view": view.ROWS,
    "memory": memory.ROWS,
    "atomic": atomic.ROWS,
    "multimem": multimem.ROWS,
}
"""Rows by family, in reading order."""

TABLE: tuple[OpRow, ...] = tuple(row for rows in FAMILIES.values() for row in rows)
"""Every operation of bytecode 13.1 to 13.5."""

BY_OPCODE: dict[int, OpRow] = {row.opcode: row for row in TABLE}
BY_NAME: dict[str, OpRow] = {row.name: row for row in TABLE}
assert len(BY_OPCODE) == len(BY_NAME) == len(TABLE), "an opcode or a name stands in two rows"
