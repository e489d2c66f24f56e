"""Views beyond plain partitions, exchanges, reductions in memory, and what is ordered without being an access."""

from __future__ import annotations

from builder import tile  # pyright: ignore[reportMissingImports]
from cases import Build, Case, named
from structured_memory import ORDER, SCOPE, pointers
from surround import Surround
from xdsl.ir import SSAValue

from ferrotile.ir.enums import AtomicRMWMode as M
from ferrotile.ir.enums import MemoryOrderingSemantics, PaddingValue
from ferrotile.ir.types import (
    GatherScatterViewType,
    StridedViewType,
    TensorViewType,
    TileIrType,
    TileType,
    TokenType,
)


def _array(k: Surround, side: str, element: str = "f32") -> SSAValue:
    """The whole of a 2-axis array."""
    view, _ = k.tile(element, side, (4, 8))
    return view.owner.operands[0]  # type: ignore[union-attr]


def _array_type(array: SSAValue) -> TensorViewType:
    assert isinstance(array.type, TensorViewType)
    return array.type


def _view(k: Surround, name: str, array: SSAValue, kind: TileIrType) -> SSAValue:
    return k._add(name, {"tensor_view": array}, {}, [kind]).results[0]


def _access(k: Surround, view: SSAValue, index: list[SSAValue], store: bool) -> None:
    plain = {"memory_ordering_semantics": MemoryOrderingSemantics.WEAK, "inbounds": (False, False)}
    kind = tile("4x8xf32")
    if store:
        values = {"tile": k.given("4x8xf32"), "view": view, "index": index, "token": k.token()}
        k.keep(k._add("store_view_tko", values, plain, [TokenType()]).results[0])
        return
    values = {"view": view, "index": index, "token": k.token()}
    k.keep(k._add("load_view_tko", values, plain, [kind, TokenType()]).results[0])


def _gather(axis: int, padding: PaddingValue | None = None, store: bool = False) -> Build:
    def build(k: Surround) -> None:
        array = _array(k, "out" if store else "in")
        kind = GatherScatterViewType((4, 8), _array_type(array), axis, padding)
        view = _view(k, "make_gather_scatter_view", array, kind)
        index = [k.given(f"{(4, 8)[axis]}xi32") if axis == at else k.given("i32") for at in (0, 1)]
        _access(k, view, index, store)

    return build


def _strided(order: tuple[int, int], padding: PaddingValue | None = None, store: bool = False) -> Build:
    def build(k: Surround) -> None:
        array = _array(k, "out" if store else "in")
        kind = StridedViewType((4, 8), (2, 8), _array_type(array), order, padding)
        _access(k, _view(k, "make_strided_view", array, kind), [k.given("i32"), k.given("i32")], store)

    return build


def _shape(k: Surround) -> None:
    results = [tile("i32")] * 2
    for value in k._add("get_tensor_shape", {"src": _array(k, "in")}, {}, results).results:
        k.keep(value)


def _swap(word: str, masked: bool = False, order: MemoryOrderingSemantics = ORDER.RELAXED) -> Build:
    def build(k: Surround) -> None:
        attributes = {"memory_ordering_semantics": order, "memory_scope": SCOPE.DEVICE}
        values = {
            "pointers": pointers(k, word), "cmp": k.given(word), "val": k.given(word), "token": k.token(),
            "mask": k.given("4xi1") if masked else [],
        }  # fmt: skip
        op = k._add("atomic_cas_tko", values, attributes, [tile(word), TokenType()])
        for value in op.results:
            k.keep(value)

    return build


def _reduced(element: str, mode: M) -> Build:
    def build(k: Surround) -> None:
        array = _array(k, "out", element)
        view = k.partition(array, (4, 8))
        attributes = {
            "memory_ordering_semantics": ORDER.RELAXED, "memory_scope": SCOPE.DEVICE, "mode": mode,
            "inbounds": (False, False),
        }  # fmt: skip
        values = {"view": view, "index": [k.given("i32")] * 2, "value": k.given(f"4x8x{element}"), "token": k.token()}
        k.keep(k._add("atomic_red_view_tko", values, attributes, [TokenType()]).results[0])

    return build


def _ordered(name: str) -> Build:
    """Between two stores."""

    def build(k: Surround) -> None:
        before = k.store(k.given("4xf32"), *k.tile("f32", "out", (4,)), token=k.token())
        after = k._add(name, {"token": before}, {}, [TokenType()]).results[0]
        k.store(k.given("4xf32"), *k.tile("f32", "out", (4,)), token=after)

    return build


def _printed(k: Surround) -> None:
    value = k.given("4xf32")
    assert isinstance(value.type, TileType)
    k._add("print_tko", {"args": [value], "token": k.token()}, {"str": "%f\n"}, [TokenType()])


INTEGER_MODES = (M.AND, M.OR, M.XOR, M.ADD, M.MAX, M.MIN, M.UMAX, M.UMIN)
FORMS = [(mode, element) for mode in INTEGER_MODES for element in ("i32", "i64")]
FORMS += [(M.ADDF, element) for element in ("f16", "bf16", "f32", "f64")]
MODES = {f"{mode.name.lower()}-{element}": _reduced(element, mode) for mode, element in FORMS}
GATHERS = {
    "rows": _gather(0), "columns": _gather(1), "zero": _gather(0, PaddingValue.Zero), "store": _gather(0, store=True),
}  # fmt: skip
PADDINGS = [None, *PaddingValue]

ACCESS: list[Case] = [
    *named("make_gather_scatter_view", GATHERS),
    *named("make_strided_view", {f"pad-{getattr(p, 'name', 'none')}": _strided((0, 1), p) for p in PADDINGS}),
    *named("make_strided_view", {"turned": _strided((1, 0)), "store": _strided((0, 1), store=True)}),
    *named("get_tensor_shape", {"both": _shape}),
    *named("atomic_cas_tko", {f"4x{element}": _swap(f"4x{element}") for element in ("i32", "i64", "f32", "f64")}),
    *named("atomic_cas_tko", {"masked": _swap("4xi32", True), "ordered": _swap("4xi64", order=ORDER.ACQ_REL)}),
    *named("atomic_red_view_tko", MODES),
    *named("memory_fence_alias_tko", {"between": _ordered("memory_fence_alias_tko")}),
    *named("gdc_wait_tko", {"between": _ordered("gdc_wait_tko")}),
    *named("gdc_launch_dependents_tko", {"between": _ordered("gdc_launch_dependents_tko")}),
    *named("print_tko", {"one": _printed}),
]  # fmt: skip
