"""Memory operations on multicast addresses (the same array on several devices)."""

from ferrotile.ir.fields import OPTIONAL_SCOPE, ORDERING, REDUCTION, SCOPE, inbounds
from ferrotile.ir.spec import Effect, op

INBOUNDS = inbounds((13, 5))

ROWS = (
    op(
        "multimem_load_reduce_view_tko", 123, "view index* token?", "reduced_values result_token",
        [ORDERING, OPTIONAL_SCOPE, REDUCTION, INBOUNDS], since="13.5", effect=Effect.READ,
    ),
    op(
        "multimem_reduce_view_tko", 124, "view tile index* token?", "result_token",
        [ORDERING, SCOPE, REDUCTION, INBOUNDS], since="13.5", effect=Effect.WRITE,
    ),
    op(
        "multimem_store_view_tko", 125, "view tile index* token?", "result_token",
        [ORDERING, OPTIONAL_SCOPE, INBOUNDS], since="13.5", effect=Effect.WRITE,
    ),
)  # fmt: skip
