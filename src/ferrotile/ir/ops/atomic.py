"""Atomic memory operations."""

from ferrotile.ir.enums import AtomicRMWMode
from ferrotile.ir.fields import ORDERING, SCOPE, inbounds
from ferrotile.ir.spec import Effect, enum, op

MODE = enum("mode", AtomicRMWMode)

ROWS = (
    op(
        "atomic_cas_tko", 7, "pointers cmp val mask? token?", "result result_token", [ORDERING, SCOPE],
        effect=Effect.WRITE,
    ),
    op(
        "atomic_red_view_tko", 117, "view index* value token?", "result_token",
        [ORDERING, SCOPE, MODE, inbounds((13, 5))], since="13.3", effect=Effect.WRITE,
    ),
    op(
        "atomic_rmw_tko", 8, "pointers arg mask? token?", "result result_token", [ORDERING, SCOPE, MODE],
        effect=Effect.WRITE,
    ),
)  # fmt: skip
