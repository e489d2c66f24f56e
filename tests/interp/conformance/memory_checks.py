"""Checks of loads, stores, atomics and views, with memory read by plain loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import exact
import numpy as np
from builder import Builder, tile
from harness import check, constant, stored

from ferrotile.interp import Result, interpret, output
from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope, PaddingValue
from ferrotile.ir.formats import STORAGE
from ferrotile.ir.types import (
    GatherScatterViewType,
    PartitionViewType,
    ScalarType,
    StridedViewType,
    TensorViewType,
    TileType,
    TokenType,
)

EACH = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
PADS = {"Zero": 0.0, "NegZero": -0.0, "Nan": math.nan, "PosInf": math.inf, "NegInf": -math.inf}
ACCESS = {"memory_ordering_semantics": MemoryOrderingSemantics.WEAK}
RELAXED = {"memory_ordering_semantics": MemoryOrderingSemantics.RELAXED, "memory_scope": MemoryScope.DEVICE}


def array(shape: Sequence[int], name: str) -> Any:
    """An array of different small numbers."""
    values = [i * i % 3 if name == "i1" else i % 13 + 1 for i in range(math.prod(shape))]
    return stored(values, name).reshape(shape)


def pointers(k: Builder, base: Any, count: int, name: str, offsets: Any = None) -> Any:
    """A row of pointers into an array, one an element, or at offsets."""
    row = k.reshape(base, to=f"1xptr<{name}>")
    many = k.broadcast(row, to=f"{count}xptr<{name}>")
    return k.offset(many, offsets if offsets is not None else k.iota(to=f"{count}xi32"))


def _masked_load(name: str) -> None:
    @check("load_ptr_tko", name, "mask and padding")
    def run() -> Iterable[str]:
        for padded in (True, False):
            k = Builder()
            source, target = k.parameters(f"ptr<{name}>", f"ptr<{name}>")
            mask = constant(k, stored([i % 3 != 1 for i in range(16)], "i1"), "16xi1")
            pad = constant(k, stored([5] * 16, name), f"16x{name}") if padded else None
            value, _ = k.load_pointers(pointers(k, source, 16, name), mask, pad)
            k.store_pointers(pointers(k, target, 16, name), value)
            data = array((16,), name)
            result = interpret(k.module(), [data, np.zeros(16, data.dtype)], (1,), roles=by_pointer(2))
            five = stored([5], name)[0]
            want = [data[i] if i % 3 != 1 else five for i in range(16)]
            poison = [not padded and i % 3 == 1 for i in range(16)]
            yield from _same(result, 1, want, poison)


def by_pointer(count: int) -> Any:
    """Roles of entry parameters that are one pointer an array."""
    from ferrotile.core import Role

    return tuple(Role.pointer(i) for i in range(count))


def _same(result: Result, number: int, want: list[Any], poison: list[bool]) -> Iterable[str]:
    got = result.arrays[number].reshape(-1)
    for i, (a, b, is_poison) in enumerate(zip(got, want, poison, strict=True)):
        if bool(result.undetermined[number].reshape(-1)[i]) != is_poison:
            yield f"element {i} is {'' if is_poison else 'un'}determined"
        elif not is_poison and not exact.same(float(a), float(b)):
            yield f"element {i} is {a}, not {b}"


def _masked_store(name: str) -> None:
    @check("store_ptr_tko", name, "mask")
    def run() -> Iterable[str]:
        k = Builder()
        (target,) = k.parameters(f"ptr<{name}>")
        mask = constant(k, stored([i % 3 == 0 for i in range(16)], "i1"), "16xi1")
        k.store_pointers(pointers(k, target, 16, name), constant(k, array((16,), name), f"16x{name}"), mask)
        result = interpret(k.module(), [output(16, STORAGE[name])], (1,), roles=by_pointer(1))
        yield from _same(result, 0, list(array((16,), name)), [i % 3 != 0 for i in range(16)])


def view_kernel(kind: Any, shape: tuple[int, int], index: Sequence[Any], name: str) -> Any:
    """A kernel that loads one tile of an array and stores it to another, row-major."""
    k = Builder()
    source, target = k.parameters(f"ptr<{name}>", f"ptr<{name}>")
    extents = [k.constant("i32", extent) for extent in shape]
    tensor = k._add(
        "make_tensor_view",
        {"base": source, "dynamicShape": extents, "dynamicStrides": [extents[1]]},
        {},
        [kind.tensor_view],
    ).results[0]
    made = kind.name.removeprefix("cuda_tile.")
    view = k._add(f"make_{made}", {"tensor_view": tensor}, {}, [kind]).results[0]
    indices = [constant(k, np.asarray(i, np.int32), f"{len(i)}xi32" if isinstance(i, list) else "i32") for i in index]
    result = TileType(ScalarType(name), kind.tile_shape)
    attributes = {**ACCESS, "inbounds": (False,) * len(index)}
    loaded = k._add("load_view_tko", {"view": view, "index": indices}, attributes, [result, TokenType()]).results[0]
    count = math.prod(kind.tile_shape)
    k.store_pointers(pointers(k, target, count, name), k.reshape(loaded, to=f"{count}x{name}"))
    return k.module()


def tensor_type(name: str) -> TensorViewType:
    """Arrays of rank 2 with the last axis contiguous."""
    return TensorViewType(ScalarType(name), (None, None), (None, 1))


def element(data: Any, i: int, j: int, pad: Any) -> Any:
    """An element, or the padding outside."""
    return data[i, j] if 0 <= i < data.shape[0] and 0 <= j < data.shape[1] else pad


def _loads(name: str, label: str, kind: Any, index: Sequence[Any], where: Callable[..., tuple[int, int]]) -> None:
    """`where` gives the array position of a tile position."""

    @check("load_view_tko", name, label)
    def run() -> Iterable[str]:
        data = array((5, 7), name)
        module = view_kernel(kind, (5, 7), index, name)
        count = math.prod(kind.tile_shape)
        result = interpret(module, [data, output(count, data.dtype)], (1,), roles=by_pointer(2))
        pad = None if kind.padding is None else np.asarray(PADS[kind.padding.name]).astype(data.dtype)
        spots = [where(*at) for at in itertools.product(*map(range, kind.tile_shape))]
        want = [element(data, *spot, pad) for spot in spots]
        yield from _same(result, 1, [0 if x is None else x for x in want], [x is None for x in want])


def _views(name: str) -> None:
    base = tensor_type(name)
    for padding in (None, *PaddingValue):
        if padding not in (None, PaddingValue.Zero) and not name.startswith(("f", "b")):
            continue
        if name.startswith("f8E4") and padding in (PaddingValue.PosInf, PaddingValue.NegInf):
            continue
        label = f"padding {padding.name.lower() if padding else 'none'}"
        _loads(name, label, PartitionViewType((4, 4), base, (0, 1), padding), (1, 1), lambda i, j: (4 + i, 4 + j))
    zero = PaddingValue.Zero
    _loads(name, "dim_map", PartitionViewType((4, 2), base, (1, 0), zero), (1, 2), lambda i, j: (4 + j, 4 + i))
    strided = StridedViewType((4, 4), (3, 2), base, (0, 1), zero)
    _loads(name, "strided", strided, (1, 3), lambda i, j: (3 + i, 6 + j))
    turned = StridedViewType((4, 4), (3, 2), base, (1, 0), zero)
    _loads(name, "strided, dim_map", turned, (1, 2), lambda i, j: (4 + j, 3 + i))
    rows = [4, 0, 2, 9]
    gather = GatherScatterViewType((4, 4), base, 0, zero)
    _loads(name, "gather", gather, (rows, 5), lambda i, j: (rows[i], 5 + j))
    columns = GatherScatterViewType((4, 4), base, 1, zero)
    _loads(name, "gather columns", columns, (2, [6, 0, 3, 3]), lambda i, j: (2 + i, [6, 0, 3, 3][j]))


def _view_store(name: str) -> None:
    @check("store_view_tko", name, "edges are masked")
    def run() -> Iterable[str]:
        k = Builder()
        (target,) = k.parameters(f"ptr<{name}>")
        extents = [k.constant("i32", extent) for extent in (5, 7)]
        view = k.partition(k.array(target, extents, [extents[1], 1]), (4, 4), dim_map=(1, 0))
        data = array((4, 4), name)
        k.store(constant(k, data, f"4x4x{name}"), view, [k.constant("i32", 1), k.constant("i32", 1)])
        result = interpret(k.module(), [output((5, 7), data.dtype)], (1,), roles=by_pointer(1))
        want, poison = [], []
        for i, j in itertools.product(range(5), range(7)):
            written = i >= 4 and j >= 4
            want.append(data[j - 4, i - 4] if written else 0)
            poison.append(not written)
        yield from _same(result, 0, want, poison)
        if any(finding.kind != "view-index" for finding in result.findings):
            yield f"finds {[str(finding) for finding in result.findings]}"


INTEGER_MODES: dict[str, Callable[[int, int, int], int]] = {
    "AND": lambda a, b, w: a & b, "OR": lambda a, b, w: a | b, "XOR": lambda a, b, w: a ^ b,
    "ADD": lambda a, b, w: a + b, "MAX": lambda a, b, w: max(a, b), "MIN": lambda a, b, w: min(a, b),
    "UMAX": lambda a, b, w: max(a, b, key=lambda x: exact.unsigned(x, w)),
    "UMIN": lambda a, b, w: min(a, b, key=lambda x: exact.unsigned(x, w)),
    "XCHG": lambda a, b, w: b,
}  # fmt: skip


def atomic_kernel(name: str, mode: str, args: Any, places: list[int], mask: list[bool]) -> Any:
    """A kernel in which lanes update places, several one place, and what they saw is stored."""
    k = Builder()
    target, old = k.parameters(f"ptr<{name}>", f"ptr<{name}>")
    at = pointers(k, target, 16, name, constant(k, np.asarray(places, np.int32), "16xi32"))
    values = {"pointers": at, "arg": constant(k, args, f"16x{name}"), "mask": constant(k, stored(mask, "i1"), "16xi1")}
    attributes = {**RELAXED, "mode": AtomicRMWMode[mode]}
    made = k._add("atomic_rmw_tko", values, attributes, [tile(f"16x{name}"), TokenType()])
    k.store_pointers(pointers(k, old, 16, name), made.results[0], values["mask"])
    return k.module()


PLACES = [0, 1, 1, 2, 3, 3, 3, 0, 5, 6, 7, 7, 1, 4, 4, 2]
MASK = [i != 5 for i in range(16)]


def _atomic_integers(name: str, mode: str) -> None:
    @check("atomic_rmw_tko", name, mode.lower())
    def run() -> Iterable[str]:
        bits = {"i32": 32, "i64": 64}[name]
        args = [(-1) ** i * (i * 77 + 3) for i in range(16)]
        memory = [(-1) ** i * 1000 for i in range(8)]
        module = atomic_kernel(name, mode, stored(args, name), PLACES, MASK)
        result = interpret(module, [stored(memory, name), stored([0] * 16, name)], (1,), roles=by_pointer(2))
        saw = [0] * 16
        for lane in range(16):
            if MASK[lane]:
                saw[lane] = memory[PLACES[lane]]
                memory[PLACES[lane]] = exact.signed(INTEGER_MODES[mode](saw[lane], args[lane], bits), bits)
        if result.arrays[0].tolist() != memory or result.arrays[1].tolist() != saw or result.findings:
            yield f"{result.arrays[0].tolist()}, saw {result.arrays[1].tolist()}; not {memory}, {saw}"


def _atomic_floats(name: str) -> None:
    @check("atomic_rmw_tko", name, "addf")
    def run() -> Iterable[str]:
        args = [exact.rounded(exact.Fraction(i * 37 + 1, 29), name) for i in range(16)]
        memory = [1.0] * 8
        module = atomic_kernel(name, "ADDF", stored(args, name), PLACES, MASK)
        result = interpret(module, [stored(memory, name), stored([0] * 16, name)], (1,), roles=by_pointer(2))
        for lane in range(16):
            if MASK[lane]:
                memory[PLACES[lane]] = exact.arithmetic("add", [memory[PLACES[lane]], args[lane]], name)
        if [float(x) for x in result.arrays[0]] != memory:
            yield f"{result.arrays[0].tolist()}, not {memory}"


@check("atomic_cas_tko", "i32", "in turns")
def _swap() -> Iterable[str]:
    k = Builder()
    target, old = k.parameters("ptr<i32>", "ptr<i32>")
    places = constant(k, np.asarray([0, 0, 0, 1] * 4, np.int32), "16xi32")
    expected, new = np.asarray([0, 1, 1, 0] * 4, np.int32), np.arange(1, 17, dtype=np.int32)
    values = {"pointers": pointers(k, target, 16, "i32", places)}
    values |= {"cmp": constant(k, expected, "16xi32"), "val": constant(k, new, "16xi32")}
    made = k._add("atomic_cas_tko", values, RELAXED, [tile("16xi32"), TokenType()])
    k.store_pointers(pointers(k, old, 16, "i32"), made.results[0])
    result = interpret(k.module(), [np.zeros(2, np.int32), np.zeros(16, np.int32)], (1,), roles=by_pointer(2))
    memory, saw = [0, 0], []
    for lane in range(16):
        place = [0, 0, 0, 1][lane % 4]
        saw.append(memory[place])
        if memory[place] == expected[lane]:
            memory[place] = int(new[lane])
    if result.arrays[0].tolist() != memory or result.arrays[1].tolist() != saw:
        yield f"{result.arrays[0].tolist()}, saw {result.arrays[1].tolist()}; not {memory}, {saw}"


@check("atomic_cas_tko", "f32", "compares bits")
def _swap_bits() -> Iterable[str]:
    k = Builder()
    (target,) = k.parameters("ptr<f32>")
    start = np.asarray([0.0, -0.0, np.nan, 1.0], np.float32)
    expected, new = np.asarray([-0.0, -0.0, np.nan, 1.0], np.float32), np.asarray([5, 6, 7, 8], np.float32)
    values = {"pointers": pointers(k, target, 4, "f32"), "cmp": constant(k, expected, "4xf32")}
    k._add("atomic_cas_tko", {**values, "val": constant(k, new, "4xf32")}, RELAXED, [tile("4xf32"), TokenType()])
    result = interpret(k.module(), [start], (1,), roles=by_pointer(1))
    if result.arrays[0].tolist() != [0.0, 6.0, 7.0, 8.0]:
        yield f"{result.arrays[0].tolist()}"


@check("atomic_red_view_tko", "f32", "adds a tile, edges are masked")
def _reduce_view() -> Iterable[str]:
    k = Builder()
    (target,) = k.parameters("ptr<f32>")
    extents = [k.constant("i32", extent) for extent in (5, 7)]
    view = k.partition(k.array(target, extents, [extents[1], 1]), (4, 4))
    index = [k.constant("i32", 1)] * 2
    values = {"view": view, "index": index, "value": constant(k, array((4, 4), "f32"), "4x4xf32")}
    attributes = {**RELAXED, "mode": AtomicRMWMode.ADDF, "inbounds": (False, False)}
    k._add("atomic_red_view_tko", values, attributes, [TokenType()])
    data = array((5, 7), "f32")
    result = interpret(k.module(), [data], (1,), roles=by_pointer(1))
    want = data.copy()
    want[4:, 4:] += array((4, 4), "f32")[:1, :3]
    if result.arrays[0].tolist() != want.tolist():
        yield f"{result.arrays[0].tolist()}, not {want.tolist()}"


def _extents(op: str, name: str) -> None:
    @check(op, name, "of an array of 5 x 7")
    def run() -> Iterable[str]:
        k = Builder()
        source, target = k.parameters("ptr<f32>", f"ptr<{name}>")
        extents = [k.constant("i32", extent) for extent in (5, 7)]
        tensor = k.array(source, extents, [extents[1], 1])
        view = tensor if op == "get_tensor_shape" else k.partition(tensor, (4, 2), dim_map=(1, 0))
        found = k._add(op, {"src": view}, {}, [tile(name)] * 2).results
        joined = k.cat(*(k.reshape(x, to=f"1x{name}") for x in found), to=f"2x{name}", dim=0)
        k.store_pointers(pointers(k, target, 2, name), joined)
        data = np.zeros((5, 7), np.float32)
        result = interpret(k.module(), [data, np.zeros(2, STORAGE[name])], (1,), roles=by_pointer(2))
        want = [5, 7] if op == "get_tensor_shape" else [2, 3]
        if result.arrays[1].tolist() != want:
            yield f"{result.arrays[1].tolist()}, not {want}"


@check("offset", "f16", "signed, in elements; addresses as integers")
def _offsets() -> Iterable[str]:
    k = Builder()
    source, target = k.parameters("ptr<f16>", "ptr<f16>")
    last = k.offset(source, k.constant("i32", 7))
    back = k.int_to_ptr(k.ptr_to_int(last, to="i64"), to="ptr<f16>")
    at = pointers(k, back, 8, "f16", k.negi(k.iota(to="8xi32")))
    value, _ = k.load_pointers(k.ptr_to_ptr(k.ptr_to_ptr(at, to="8xptr<i16>"), to="8xptr<f16>"))
    k.store_pointers(pointers(k, target, 8, "f16"), value)
    data = array((8,), "f16")
    result = interpret(k.module(), [data, np.zeros(8, np.float16)], (1,), roles=by_pointer(2))
    if result.arrays[1].tolist() != data[::-1].tolist() or result.findings:
        yield f"{result.arrays[1].tolist()}"


def _register() -> None:
    for name in EACH:
        _masked_load(name)
        _masked_store(name)
        _views(name)
        _view_store(name)
    for name in ("i32", "i64"):
        for mode in INTEGER_MODES:
            _atomic_integers(name, mode)
        for op in ("get_tensor_shape", "get_index_space_shape"):
            _extents(op, name)
    for name in ("f16", "bf16", "f32", "f64"):
        _atomic_floats(name)


_register()
