"""Atomic memory operations."""

from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope
from ferrotile.ir.fields import ORDERING, SCOPE, inbounds
from ferrotile.ir.meaning import Driven
from ferrotile.ir.rules import (
    ATOMIC_ORDER,
    INBOUNDS,
    INDEXED,
    Parts,
    Rule,
    element,
    one_of,
    ordering,
    points_to,
    reads_tile,
    same,
    same_shape,
    tile,
    token,
    view,
    when,
)
from ferrotile.ir.spec import Effect, enum, example, op
from ferrotile.ir.types import PartitionViewType, StridedViewType

MODE = enum("mode", AtomicRMWMode)
WORDS = ("i32", "i64", "f32", "f64")
"""The element types that can be exchanged: 32 or 64 bits."""

TARGETS = dict.fromkeys(AtomicRMWMode, ("i32", "i64")) | {
    AtomicRMWMode.ADDF: ("f16", "bf16", "f32", "f64"),
    AtomicRMWMode.XCHG: WORDS,
}
"""Element types by mode."""

RELAXED = MemoryOrderingSemantics.RELAXED


def _mode_fits(value: str) -> Rule:
    def holds(parts: Parts) -> bool:
        return element(parts, value) in TARGETS[parts.attribute("mode")]

    return when(f"`mode`: fits the elements of `{value}`", "mode", holds)


NO_PADDING = when("`view`: no padding", "view", lambda parts: getattr(parts.one("view"), "padding", None) is None)
MASKED = (tile("mask", "i1"), same_shape("pointers mask"), token("token result_token"), ATOMIC_ORDER)

ROWS = (
    op(
        "atomic_cas_tko",
        7,
        "pointers cmp val mask? token?",
        "result result_token",
        [ORDERING, SCOPE],
        effect=Effect.WRITE,
        rules=(
            points_to("pointers", "val"),
            same("cmp val result"),
            MASKED,
            when("`val`: elements of 32 or 64 bits", "val", lambda parts: element(parts, "val") in WORDS),
        ),
        example=example(
            "pointers: 4xptr<i32>; cmp val result: 4xi32; mask: 4xi1; token result_token: token",
            memory_ordering_semantics=RELAXED,
        ),
        evaluate=Driven("memory"),
        rust="unsafe atomic_cas_tko(pointers, compared, value, ..)",
    ),
    op(
        "atomic_red_view_tko",
        117,
        "view index* value token?",
        "result_token",
        [ORDERING, SCOPE, MODE, inbounds((13, 5))],
        since="13.3",
        effect=Effect.WRITE,
        rules=(
            view("view", PartitionViewType, StridedViewType),
            INDEXED,
            INBOUNDS,
            reads_tile("view", "value"),
            token("token result_token"),
            NO_PADDING,
            ordering(RELAXED),
            one_of("memory_scope", MemoryScope.TL_BLK, MemoryScope.DEVICE),
            one_of("mode", *[mode for mode in AtomicRMWMode if mode is not AtomicRMWMode.XCHG]),
            _mode_fits("value"),
        ),
        example=example(
            "view: unpadded; index: i32 i32; value: 4x8xf32; token result_token: token",
            memory_ordering_semantics=RELAXED,
            mode=AtomicRMWMode.ADDF,
        ),
        evaluate=Driven("memory"),
        rust="unsafe atomic_red_view_raw(view, value, [i, j], ..)",
    ),
    op(
        "atomic_rmw_tko",
        8,
        "pointers arg mask? token?",
        "result result_token",
        [ORDERING, SCOPE, MODE],
        effect=Effect.WRITE,
        rules=(points_to("pointers", "arg"), same("arg result"), MASKED, _mode_fits("arg")),
        example=example(
            "pointers: 4xptr<f32>; arg result: 4xf32; mask: 4xi1; token result_token: token",
            memory_ordering_semantics=RELAXED,
            mode=AtomicRMWMode.ADDF,
        ),
        evaluate=Driven("memory"),
        rust="unsafe atomic_rmw_tko("
        "{pointers}, {arg}, {mode}, {memory_ordering_semantics}, {memory_scope}, mask, token)",
    ),
)
