"""Views, loads, stores, atomics and the tokens that order them."""

from __future__ import annotations

from typing import Any

from cases import Build, Case, named
from surround import Surround
from xdsl.ir import SSAValue

from ferrotile import ir
from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope, PaddingValue
from ferrotile.ir.types import PartitionViewType, ScalarType, TensorViewType, TileType

ELEMENTS = ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
ORDER, SCOPE = MemoryOrderingSemantics, MemoryScope
SLOW = (("sm_100", (("latency", 4),)),)
NO_TMA = (("default", (("allow_tma", False),)),)
Access = dict[str, Any]


def _view(k: Surround, side: str, padding: str | None = None, order: tuple[int, ...] | None = None) -> SSAValue:
    """A view of a 2-axis array by 4x8 tiles."""
    view, _ = k.tile("f32", side, (4, 8))
    array = view.owner.operands[0]  # type: ignore[union-attr]
    return k.partition(array, (4, 8), padding, order)


def _index(k: Surround) -> list[SSAValue]:
    return [k.given("i32"), k.constant("i32", 2)]


def _load_view(padding: str | None = None, order: tuple[int, ...] | None = None, **more: object) -> Build:
    return lambda k: k.keep(k.load(_view(k, "in", padding, order), _index(k), **more)[0])


def _load_after(k: Surround) -> None:
    token = k.store(k.given("4x8xf32"), _view(k, "in"), _index(k), token=k.token())
    value, done = k.load(_view(k, "in"), _index(k), token=token)
    k.keep(value)
    k.keep(done)


def _store_view(order: tuple[int, ...] | None = None, **more: object) -> Build:
    return lambda k: k.store(k.given("4x8xf32"), _view(k, "out", None, order), _index(k), **more)


def pointers(k: Surround, word: str) -> SSAValue:
    """Addresses that the kernel computes from a pointer and given distances."""
    shape, _, element = word.rpartition("x")
    shape = f"{shape}x" if shape else ""
    (base,) = k.parameters(f"ptr<{element}>")
    kind = base.type
    if shape:
        assert isinstance(kind, TileType)
        base = k.reshape(base, to="1x" * shape.count("x") + f"ptr<{element}>")
        base = k.broadcast(base, to=f"{shape}ptr<{element}>")
    return k.offset(base, k.given(f"{shape}i32"))


def _load_pointers(word: str, masked: bool = False, padded: bool = False, after: bool = False, **more: object) -> Build:
    def build(k: Surround) -> None:
        shape, _, _ = word.rpartition("x")
        mask = k.given(f"{shape}xi1" if shape else "i1") if masked else None
        padding = k.given(word) if padded else None
        token = k.token() if after else None
        value, done = k.load_pointers(pointers(k, word), mask, padding, token, **more)
        k.keep(value)
        if after:
            k.keep(done)

    return build


def _store_pointers(word: str, masked: bool = False, after: bool = False, **more: object) -> Build:
    def build(k: Surround) -> None:
        shape, _, _ = word.rpartition("x")
        mask = k.given(f"{shape}xi1" if shape else "i1") if masked else None
        done = k.store_pointers(pointers(k, word), k.given(word), mask, k.token() if after else None, **more)
        if after:
            k.keep(done)

    return build


def _atomic(word: str, mode: AtomicRMWMode, **more: object) -> Build:
    def build(k: Surround) -> None:
        order = {"memory_ordering_semantics": ORDER.RELAXED, **more}
        value, done = k.atomic(pointers(k, word), k.given(word), k.token(), mode=mode, **order)
        k.keep(value)
        k.keep(done)

    return build


def _atomic_unused(k: Surround) -> None:
    """Nobody reads the old value."""
    k.atomic(pointers(k, "4xf32"), k.given("4xf32"), mode=AtomicRMWMode.ADDF)


def _joined(k: Surround) -> None:
    tokens = [k.store(k.given("4x8xf32"), _view(k, "out"), _index(k), token=k.token()) for _ in range(2)]
    k.keep(k.join(*tokens))


def _fresh(k: Surround) -> None:
    k.keep(k.token())


def _space(k: Surround) -> None:
    results = [TileType(ScalarType("i32"), ())] * 2
    for value in k._add("get_index_space_shape", {"src": _view(k, "in")}, {}, results).results:
        k.keep(value)


def _part_of_array(k: Surround) -> None:
    """A view that starts behind the array's own start."""
    base, rows, columns, stride, _ = k.parameters("ptr<f32>", "i32", "i32", "i32", "i32")
    start = k.offset(base, k.given("i32"))
    kind = TensorViewType(ScalarType("f32"), (None, None), (None, 1))
    sizes = [k.assume(size, ir.Bounded(0, None)) for size in (rows, columns, stride)]
    values = {"base": start, "dynamicShape": sizes[:2], "dynamicStrides": sizes[2:]}
    array = k._add("make_tensor_view", values, {}, [kind]).results[0]
    k.keep(k.load(k.partition(array, (4, 8)), _index(k), k.token())[0])


def _unbounded(k: Surround) -> None:
    """Nothing says that the extent is not negative."""
    base, extent, _ = k.parameters("ptr<f32>", "i32", "i32")
    kind = TensorViewType(ScalarType("f32"), (None,), (1,))
    array = k._add("make_tensor_view", {"base": base, "dynamicShape": [extent]}, {}, [kind]).results[0]
    k.keep(k.load(k.partition(array, (4,)), [k.given("i32")], k.token())[0])


def _assumed(k: Surround) -> None:
    """Facts about numbers that a specialization does not say."""
    base, extent, _, number, wide = k.parameters("ptr<f32>", "i32", "i32", "i32", "i64")
    extent = k.assume(extent, ir.Bounded(0, None))
    kind = TensorViewType(ScalarType("f32"), (None,), (1,))
    array = k._add("make_tensor_view", {"base": base, "dynamicShape": [extent]}, {}, [kind]).results[0]
    index = k.assume(k.assume(number, ir.DivBy(8)), ir.Bounded(0, None))
    k.keep(k.load(k.partition(array, (4,)), [index], k.token())[0])
    k.keep(k.assume(k.assume(wide, ir.DivBy(16)), ir.Bounded(2, 1000)))


def _static_shape(k: Surround) -> None:
    (base,) = k.parameters("ptr<f32>")
    kind = TensorViewType(ScalarType("f32"), (64, 32), (32, 1))
    array = k._add("make_tensor_view", {"base": base}, {}, [kind]).results[0]
    k.keep(k.load(k.partition(array, (4, 8)), _index(k), k.token())[0])


def _partition(k: Surround) -> None:
    """Three axes, in another order."""
    view, index = k.tile("f16", "in", (2, 4, 8))
    kind = view.type
    assert isinstance(kind, PartitionViewType)
    array = view.owner.operands[0]  # type: ignore[union-attr]
    k.keep(k.load(k.partition(array, (2, 4, 8), None, (2, 0, 1)), index)[0])


M = AtomicRMWMode
BITWISE = {f"{mode.name.lower()}-{e}": _atomic(f"4x{e}", mode) for mode in (M.AND, M.OR, M.XOR) for e in ("i32", "i64")}
SUMS = {f"{mode.name.lower()}-{e}": _atomic(f"4x{e}", mode) for mode in (M.ADD, M.MAX, M.MIN, M.UMAX, M.UMIN)
        for e in ("i32", "i64")}  # fmt: skip
FLOATS = {f"addf-{e}": _atomic(f"4x{e}", M.ADDF) for e in ("f16", "bf16", "f32", "f64")}
SWAPS = {f"xchg-{e}": _atomic(f"4x{e}", M.XCHG) for e in ("i32", "i64", "f32", "f64")}
ORDERS = {
    f"{order.name.lower()}-{scope.name.lower()}": _atomic(
        "4xi32", M.ADD, memory_ordering_semantics=order, memory_scope=scope
    )
    for order in (ORDER.RELAXED, ORDER.ACQUIRE, ORDER.RELEASE, ORDER.ACQ_REL)
    for scope in SCOPE
}
VIEW_LOADS = {f"pad-{padding.name}": _load_view(padding.name) for padding in PaddingValue} | {
    f"turned-{padding.name}": _load_view(padding.name, (1, 0)) for padding in PaddingValue
}
ACQUIRE: Access = {"memory_ordering_semantics": ORDER.ACQUIRE, "memory_scope": SCOPE.DEVICE}
RELEASE: Access = {"memory_ordering_semantics": ORDER.RELEASE, "memory_scope": SCOPE.SYS}
RELAXED: Access = {"memory_ordering_semantics": ORDER.RELAXED, "memory_scope": SCOPE.DEVICE}

MEMORY: list[Case] = [
    *named("load_view_tko", VIEW_LOADS),
    *named(
        "load_view_tko",
        {
            "plain": _load_view(),
            "turned": _load_view(None, (1, 0)),
            "slow": _load_view(optimization_hints=SLOW),
            "no_tma": _load_view(optimization_hints=NO_TMA),
            "inside": _load_view(inbounds=(True, False)),
            "acquire": _load_view(**ACQUIRE),
            "relaxed": _load_view(**RELAXED),
            "after": _load_after,
        },
    ),
    *named(
        "store_view_tko",
        {
            "plain": _store_view(),
            "turned": _store_view((1, 0)),
            "slow": _store_view(optimization_hints=SLOW),
            "inside": _store_view(inbounds=(True, True)),
            "release": _store_view(**RELEASE),
            "relaxed": _store_view(**RELAXED),
        },
    ),
    *named("load_ptr_tko", {f"4x{element}": _load_pointers(f"4x{element}") for element in ELEMENTS}),
    *named(
        "load_ptr_tko",
        {
            "number": _load_pointers("f32"),
            "masked": _load_pointers("4xf32", masked=True),
            "padded": _load_pointers("4xf32", masked=True, padded=True),
            "padded_half": _load_pointers("4x8xf16", masked=True, padded=True, after=True),
            "after": _load_pointers("4xf32", after=True),
            "acquire": _load_pointers("4xf32", after=True, **ACQUIRE),
            "slow": _load_pointers("4xf32", optimization_hints=SLOW),
            "no_tma": _load_pointers("4xf32", optimization_hints=NO_TMA),
        },
        no_tma="FT302",
    ),
    *named("store_ptr_tko", {f"4x{element}": _store_pointers(f"4x{element}") for element in ELEMENTS}),
    *named(
        "store_ptr_tko",
        {
            "number": _store_pointers("f32"),
            "masked": _store_pointers("4x8xi64", masked=True),
            "after": _store_pointers("4xbf16", masked=True, after=True),
            "release": _store_pointers("4xf32", after=True, **RELEASE),
            "slow": _store_pointers("4xf32", optimization_hints=SLOW),
        },
    ),
    *named("atomic_rmw_tko", BITWISE | SUMS | FLOATS | SWAPS | ORDERS | {"unused": _atomic_unused}),
    *named("join_tokens", {"two": _joined}),
    *named("make_token", {"fresh": _fresh}),
    *named("get_index_space_shape", {"both": _space}),
    *named("make_tensor_view", {"part": _part_of_array, "static": _static_shape, "unbounded": _unbounded}),
    *named("assume", {"assumed": _assumed}),
    *named("make_partition_view", {"turned": _partition}),
]
