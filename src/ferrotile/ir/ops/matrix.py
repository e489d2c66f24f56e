"""Matrix multiply-accumulate, and the operations that fold a tile along one axis."""

from ferrotile.ir.enums import Signedness
from ferrotile.ir.fields import DIM, IDENTITIES
from ferrotile.ir.spec import Effect, Field, Kind, enum, op

FAST_ACC = Field("fast_acc", Kind.UNIT, since=(13, 3), default=False)
SIGNEDNESS_LHS = enum("signedness_lhs", Signedness)
SIGNEDNESS_RHS = enum("signedness_rhs", Signedness)

ROWS = (
    op("mmaf", 73, "lhs rhs acc", "result", [FAST_ACC]),
    op("mmaf_scaled", 114, "lhs rhs acc lhs_scale rhs_scale", "result", since="13.3"),
    op("mmai", 74, "lhs rhs acc", "result", [SIGNEDNESS_LHS, SIGNEDNESS_RHS]),
    op("reduce", 88, "operands*", "results*", [DIM, IDENTITIES], regions=1, effect=Effect.PURE),
    op("scan", 94, "operands*", "results*", [DIM, Field("reverse", Kind.BOOL), IDENTITIES], regions=1),
)  # fmt: skip
