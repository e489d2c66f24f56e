"""Loads, stores and the tokens that order them."""

from ferrotile.ir.fields import HINTS, OPTIONAL_SCOPE, ORDERING, inbounds
from ferrotile.ir.meaning import Driven
from ferrotile.ir.rules import (
    INBOUNDS,
    INDEXED,
    LOAD_ORDER,
    STORE_ORDER,
    WEAK_HAS_NO_SCOPE,
    points_to,
    reads_tile,
    same,
    same_shape,
    tile,
    token,
    view,
    when,
)
from ferrotile.ir.spec import Effect, Field, Kind, example, op, refuse

ACCESS = [ORDERING, OPTIONAL_SCOPE, HINTS]
ORDER = Effect.ORDER
POWER = when(
    "`alignment`: a power of two", "alignment",
    lambda parts: parts.attribute("alignment").bit_count() == 1,
)  # fmt: skip
LATENCY = (("sm_90", (("latency", 4),)),)

ROWS = (
    op(
        "alloca",
        113,
        "",
        "result",
        [Field("num_elem", Kind.INT), Field("alignment", Kind.INT), Field("global", Kind.UNIT)],
        since="13.3",
        effect=Effect.WRITE,
        rules=(tile("result", "pointer", 0), POWER),
        example=example("result: ptr<f32>", num_elem=16, alignment=16),
        evaluate=Driven("memory"),
        rust=refuse("FT302", "no public front end emits it, and the proof follows memory of parameters only"),
    ),
    op(
        "gdc_launch_dependents_tko",
        119,
        "token?",
        "result_token",
        since="13.4",
        effect=Effect.WRITE,
        rules=(token("token result_token"),),
        example=example("token result_token: token"),
        evaluate=Driven("order"),
        rust="unsafe gdc_launch_dependents_tko(token)",
    ),
    op(
        "gdc_wait_tko",
        120,
        "token?",
        "result_token",
        since="13.4",
        effect=Effect.WRITE,
        rules=(token("token result_token"),),
        example=example("token result_token: token"),
        evaluate=Driven("order"),
        rust="unsafe gdc_wait_tko(token)",
    ),
    op(
        "join_tokens",
        60,
        "tokens*",
        "result",
        effect=ORDER,
        rules=(
            token("tokens result"),
            when("`tokens`: two or more", "tokens", lambda parts: len(parts.types["tokens"]) > 1),
        ),
        example=example("tokens: token token; result: token"),
        evaluate=Driven("order"),
        rust="join_tokens(&[{tokens}])",
    ),
    op(
        "load_ptr_tko",
        61,
        "source mask? paddingValue? token?",
        "result result_token",
        ACCESS,
        effect=Effect.READ,
        rules=(
            points_to("source", "result"),
            tile("mask", "i1"),
            same_shape("source mask"),
            same("result paddingValue"),
            token("token result_token"),
            LOAD_ORDER,
            WEAK_HAS_NO_SCOPE,
        ),
        example=example(
            "source: 4xptr<f32>; mask: 4xi1; paddingValue result: 4xf32; token result_token: token",
            optimization_hints=LATENCY,
        ),
        evaluate=Driven("memory"),
        rust="gather_2d(x, i, j, strides, shape)",
    ),
    op(
        "load_view_tko",
        62,
        "view index* token?",
        "tile result_token",
        [*ACCESS, inbounds((13, 4))],
        effect=Effect.READ,
        rules=(
            view("view"),
            INDEXED,
            INBOUNDS,
            reads_tile("view", "tile"),
            token("token result_token"),
            LOAD_ORDER,
            WEAK_HAS_NO_SCOPE,
        ),
        example=example(
            "view: partition; index: i32 i32; tile: 4x8xf32; token result_token: token", optimization_hints=LATENCY
        ),
        evaluate=Driven("memory"),
        rust="load(x, [i, j], shape![..])",
    ),
    op(
        "make_token",
        68,
        "",
        "result",
        effect=ORDER,
        rules=(token("result"),),
        example=example("result: token"),
        evaluate=Driven("order"),
        rust="new_token_unordered()",
    ),
    op(
        "memory_fence_alias_tko",
        122,
        "token",
        "result_token",
        since="13.4",
        effect=Effect.WRITE,
        rules=(token("token result_token"),),
        example=example("token result_token: token"),
        evaluate=Driven("order"),
        rust="unsafe memory_fence_alias_tko({token})",
    ),
    op(
        "store_ptr_tko",
        101,
        "destination value mask? token?",
        "result_token",
        ACCESS,
        effect=Effect.WRITE,
        rules=(
            points_to("destination", "value"),
            tile("mask", "i1"),
            same_shape("destination mask"),
            token("token result_token"),
            STORE_ORDER,
            WEAK_HAS_NO_SCOPE,
        ),
        example=example(
            "destination: 4xptr<f32>; value: 4xf32; mask: 4xi1; token result_token: token", optimization_hints=LATENCY
        ),
        evaluate=Driven("memory"),
        rust="unsafe scatter_2d(x, i, j, strides, shape, value)",
    ),
    op(
        "store_view_tko",
        102,
        "tile view index* token?",
        "result_token",
        [*ACCESS, inbounds((13, 4))],
        effect=Effect.WRITE,
        rules=(
            view("view"),
            INDEXED,
            INBOUNDS,
            reads_tile("view", "tile"),
            token("token result_token"),
            STORE_ORDER,
            WEAK_HAS_NO_SCOPE,
        ),
        example=example(
            "tile: 4x8xf32; view: partition; index: i32 i32; token result_token: token", optimization_hints=LATENCY
        ),
        evaluate=Driven("memory"),
        rust="unsafe store(x, [i, j], tile)",
    ),
)
