"""Operations that make, rearrange, or pick from tiles without arithmetic."""

from ferrotile.ir.fields import DIM
from ferrotile.ir.spec import Field, Kind, op

ROWS = (
    op("broadcast", 11, "source", "result"),
    op("cat", 12, "lhs rhs", "result", [DIM]),
    op("constant", 16, "", "result", [Field("value", Kind.CONSTANT)]),
    op("extract", 38, "source indices*", "result"),
    op("insert", 118, "source destination indices*", "result", since="13.4"),
    op("iota", 58, "", "result"),
    op("permute", 83, "source", "result", [Field("permutation", Kind.INT32S)]),
    op("reshape", 91, "source", "result"),
    op("select", 95, "cond val_if_true val_if_false", "result"),
)  # fmt: skip
