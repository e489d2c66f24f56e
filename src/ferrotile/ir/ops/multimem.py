"""Memory operations on multicast addresses (the same array on several devices)."""

from ferrotile.ir.enums import MemoryOrderingSemantics, PointerAttribute
from ferrotile.ir.fields import OPTIONAL_SCOPE, ORDERING, REDUCTION, SCOPE, inbounds
from ferrotile.ir.rules import (
    INBOUNDS,
    INDEXED,
    LOAD_ORDER,
    STORE_ORDER,
    WEAK_HAS_NO_SCOPE,
    reads_tile,
    token,
    view,
    when,
)
from ferrotile.ir.spec import Effect, example, op, refuse

INSIDE = inbounds((13, 5))
RELAXED = MemoryOrderingSemantics.RELAXED
MULTICAST = when(
    "`view`: of a multicast pointer", "view",
    lambda parts: parts.one("view").tensor_view.attribute is PointerAttribute.Multicast,
)  # fmt: skip
COMMON = (view("view"), MULTICAST, INDEXED, INBOUNDS, token("token result_token"))

ROWS = (
    op(
        "multimem_load_reduce_view_tko",
        123,
        "view index* token?",
        "reduced_values result_token",
        [ORDERING, OPTIONAL_SCOPE, REDUCTION, INSIDE],
        since="13.5",
        effect=Effect.READ,
        rules=(COMMON, reads_tile("view", "reduced_values"), LOAD_ORDER, WEAK_HAS_NO_SCOPE),
        example=example("view: multicast; index: i32 i32; reduced_values: 4x8xf32; token result_token: token"),
        evaluate=refuse("FT250", "one device has no multicast memory"),
        rust=refuse("FT302", "no public front end emits it: multicast memory spans several devices"),
    ),
    op(
        "multimem_reduce_view_tko",
        124,
        "view tile index* token?",
        "result_token",
        [ORDERING, SCOPE, REDUCTION, INSIDE],
        since="13.5",
        effect=Effect.WRITE,
        rules=(COMMON, reads_tile("view", "tile"), STORE_ORDER),
        example=example(
            "view: multicast; index: i32 i32; tile: 4x8xf32; token result_token: token",
            memory_ordering_semantics=RELAXED,
        ),
        evaluate=refuse("FT250", "one device has no multicast memory"),
        rust=refuse("FT302", "no public front end emits it: multicast memory spans several devices"),
    ),
    op(
        "multimem_store_view_tko",
        125,
        "view tile index* token?",
        "result_token",
        [ORDERING, OPTIONAL_SCOPE, INSIDE],
        since="13.5",
        effect=Effect.WRITE,
        rules=(COMMON, reads_tile("view", "tile"), STORE_ORDER, WEAK_HAS_NO_SCOPE),
        example=example("view: multicast; index: i32 i32; tile: 4x8xf32; token result_token: token"),
        evaluate=refuse("FT250", "one device has no multicast memory"),
        rust=refuse("FT302", "no public front end emits it: multicast memory spans several devices"),
    ),
)
