"""Loads, stores and the tokens that order them."""

from ferrotile.ir.fields import HINTS, OPTIONAL_SCOPE, ORDERING, inbounds
from ferrotile.ir.spec import Effect, Field, Kind, op

ACCESS = [ORDERING, OPTIONAL_SCOPE, HINTS]
ORDER = Effect.ORDER

ROWS = (
    op(
        "alloca", 113, "", "result",
        [Field("num_elem", Kind.INT), Field("alignment", Kind.INT), Field("global", Kind.UNIT)],
        since="13.3", effect=Effect.WRITE,
    ),
    op("gdc_launch_dependents_tko", 119, "token?", "result_token", since="13.4", effect=Effect.WRITE),
    op("gdc_wait_tko", 120, "token?", "result_token", since="13.4", effect=Effect.WRITE),
    op("join_tokens", 60, "tokens*", "result", effect=ORDER),
    op(
        "load_ptr_tko", 61, "source mask? paddingValue? token?", "result result_token", ACCESS,
        effect=Effect.READ,
    ),
    op(
        "load_view_tko", 62, "view index* token?", "tile result_token", [*ACCESS, inbounds((13, 4))],
        effect=Effect.READ,
    ),
    op("make_token", 68, "", "result", effect=ORDER),
    op("memory_fence_alias_tko", 122, "token", "result_token", since="13.4", effect=ORDER),
    op(
        "store_ptr_tko", 101, "destination value mask? token?", "result_token", ACCESS,
        effect=Effect.WRITE,
    ),
    op(
        "store_view_tko", 102, "tile view index* token?", "result_token", [*ACCESS, inbounds((13, 4))],
        effect=Effect.WRITE,
    ),
)  # fmt: skip
