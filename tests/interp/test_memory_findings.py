"""What accesses are checked for, on kernels of a few operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builder import Builder, tile
from harness import constant, stored
from memory_checks import ACCESS, by_pointer, pointers

from ferrotile.core import FerrotileError, Role
from ferrotile.interp import Access, Buffer, Options, Table, interpret, output, roles_of
from ferrotile.ir.attributes import DivBy
from ferrotile.ir.enums import AtomicRMWMode, MemoryOrderingSemantics, MemoryScope
from ferrotile.ir.types import TokenType

ACQUIRE, RELEASE = MemoryOrderingSemantics.ACQUIRE, MemoryOrderingSemantics.RELEASE
DEVICE = {"memory_scope": MemoryScope.DEVICE}


def _kinds(result: Any) -> list[str]:
    return sorted({finding.kind for finding in result.findings})


def _ints(*values: int) -> Any:
    return np.asarray(values, np.int32)


def test_misaligned_base_breaks_the_assumption_and_the_access() -> None:
    k = Builder()
    (source,) = k.parameters("ptr<f32>")
    k.load_pointers(pointers(k, k.assume(source, DivBy(16)), 4, "f32"))
    module = k.module()
    data = np.ones(8, np.float32)
    assert _kinds(interpret(module, [data], (1,), roles=by_pointer(1))) == []
    assert _kinds(interpret(module, [Buffer(data, shift=4)], (1,), roles=by_pointer(1))) == ["assume"]
    assert _kinds(interpret(module, [Buffer(data, shift=2)], (1,), roles=by_pointer(1))) == ["assume", "misaligned"]


def test_misaligned_load_still_reads_the_bytes() -> None:
    k = Builder()
    source, target = k.parameters("ptr<i16>", "ptr<i32>")
    odd = k.ptr_to_ptr(k.offset(source, k.constant("i32", 1)), to="ptr<i32>")
    k.store_pointers(target, k.load_pointers(odd)[0])
    result = interpret(k.module(), [np.arange(4, dtype=np.int16), _ints(0)], (1,), roles=by_pointer(2))
    assert result.arrays[1].tolist() == [1 + (2 << 16)]
    assert _kinds(result) == ["misaligned"]


def _lanes_that_collide(values: Any) -> Any:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    at = pointers(k, target, 4, "i32", constant(k, _ints(0, 1, 1, 2), "4xi32"))
    k.store_pointers(at, constant(k, values, "4xi32"))
    return interpret(k.module(), [_ints(0, 0, 0)], (1,), roles=by_pointer(1))


def test_two_lanes_of_one_store_are_found_only_if_they_differ() -> None:
    assert _kinds(_lanes_that_collide(_ints(1, 2, 3, 4))) == ["write-write"]
    assert _kinds(_lanes_that_collide(_ints(1, 2, 2, 4))) == []


def _flagged(acquire: bool, release: bool) -> Any:
    """Block 0 writes data and raises a flag; block 1 reads the flag, then the data."""
    k = Builder()
    data, flag = k.parameters("ptr<i32>", "ptr<i32>")
    is_first = k.cmpi(k.block_id()[0], k.constant("i32", 1), to="i1")
    first, second, _ = k.if_(is_first)
    order = {"memory_ordering_semantics": RELEASE if release else MemoryOrderingSemantics.RELAXED, **DEVICE}
    with first:
        k.store_pointers(data, k.constant("i32", 5))
        values = {"pointers": flag, "arg": k.constant("i32", 1)}
        k._add("atomic_rmw_tko", values, {**order, "mode": AtomicRMWMode.ADD}, [tile("i32"), TokenType()])
        k.end("yield")
    order = {"memory_ordering_semantics": ACQUIRE if acquire else MemoryOrderingSemantics.RELAXED, **DEVICE}
    with second:
        values = {"pointers": flag, "arg": k.constant("i32", 0)}
        k._add("atomic_rmw_tko", values, {**order, "mode": AtomicRMWMode.ADD}, [tile("i32"), TokenType()])
        k.load_pointers(data)
        k.end("yield")
    return interpret(k.module(), [_ints(0), _ints(0)], (2,), roles=by_pointer(2))


@pytest.mark.parametrize(("acquire", "release"), [(True, True), (True, False), (False, True), (False, False)])
def test_release_and_acquire_order_two_blocks(acquire: bool, release: bool) -> None:
    assert _kinds(_flagged(acquire, release)) == ([] if acquire and release else ["race"])


def test_atomics_of_different_blocks_do_not_race() -> None:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    k.atomic(target, k.constant("i32", 1))
    result = interpret(k.module(), [_ints(0)], (5,), roles=by_pointer(1), seed=2)
    assert result.arrays[0].tolist() == [5]
    assert _kinds(result) == []


def _selected(clean: bool) -> Any:
    """A masked load without padding, whose masked lanes a select replaces or not."""
    k = Builder()
    source, target = k.parameters("ptr<f32>", "ptr<f32>")
    mask = constant(k, stored([1, 1, 0, 1], "i1"), "4xi1")
    value, _ = k.load_pointers(pointers(k, source, 4, "f32"), mask)
    if clean:
        value = k.select(mask, k.addf(value, value), constant(k, np.zeros(4, np.float32), "4xf32"), to="4xf32")
    k.store_pointers(pointers(k, target, 4, "f32"), value)
    data = np.ones(4, np.float32)
    return interpret(k.module(), [data, output(4, np.float32)], (1,), roles=by_pointer(2))


def test_poison_that_a_select_drops_is_no_finding() -> None:
    assert _kinds(_selected(clean=True)) == []
    bad = _selected(clean=False)
    assert _kinds(bad) == ["poison-store"]
    assert bad.undetermined[1].tolist() == [False, False, True, False]
    assert np.isnan(bad.arrays[1][2])


def _stored_mask(both: bool) -> Any:
    """An undetermined mask, which another mask decides or not."""
    k = Builder()
    source, target = k.parameters("ptr<i32>", "ptr<i32>")
    inside = constant(k, stored([1, 1, 0, 1], "i1"), "4xi1")
    value, _ = k.load_pointers(pointers(k, source, 4, "i32"), inside)
    mask = k.cmpi(value, constant(k, _ints(9, 9, 9, 9), "4xi32"), to="4xi1")
    mask = k.andi(mask, inside) if both else mask
    k.store_pointers(pointers(k, target, 4, "i32"), constant(k, _ints(1, 1, 1, 1), "4xi32"), mask)
    return interpret(k.module(), [_ints(1, 2, 3, 4), _ints(0, 0, 0, 0)], (1,), roles=by_pointer(2))


def test_undetermined_mask_is_a_finding_unless_another_decides() -> None:
    assert _kinds(_stored_mask(both=True)) == []
    assert _kinds(_stored_mask(both=False)) == ["poison-address"]


def test_undetermined_value_of_a_swap_is_a_finding() -> None:
    for lane, kinds in ((0, ["poison-store"]), (1, [])):
        k = Builder()
        source, target = k.parameters("ptr<i32>", "ptr<i32>")
        known = constant(k, stored([lane == 1, lane == 0], "i1"), "2xi1")
        value, _ = k.load_pointers(pointers(k, source, 2, "i32"), known)
        values = {"pointers": pointers(k, target, 2, "i32"), "cmp": value, "val": value}
        values["mask"] = constant(k, stored([1, 0], "i1"), "2xi1")
        order = {"memory_ordering_semantics": MemoryOrderingSemantics.RELAXED, **DEVICE}
        k._add("atomic_cas_tko", values, order, [tile("2xi32"), TokenType()])
        result = interpret(k.module(), [_ints(1, 2), _ints(1, 2)], (1,), roles=by_pointer(2))
        assert _kinds(result) == kinds


def test_undetermined_address_is_a_finding() -> None:
    k = Builder()
    (source,) = k.parameters("ptr<i32>")
    mask = constant(k, stored([1, 0], "i1"), "2xi1")
    index, _ = k.load_pointers(pointers(k, source, 2, "i32"), mask)
    k.load_pointers(pointers(k, source, 2, "i32", index))
    result = interpret(k.module(), [_ints(0, 1)], (1,), roles=by_pointer(1))
    assert "poison-address" in _kinds(result)


def test_memory_behind_the_end_is_nan_and_can_be_allowed() -> None:
    k = Builder()
    source, target = k.parameters("ptr<f32>", "ptr<f32>")
    k.store_pointers(pointers(k, target, 4, "f32"), k.load_pointers(pointers(k, source, 4, "f32"))[0])
    module, data = k.module(), np.ones(2, np.float32)
    outside = interpret(module, [data, np.zeros(4, np.float32)], (1,), roles=by_pointer(2))
    assert _kinds(outside) == ["out-of-bounds", "poison-store"]
    inside = interpret(module, [Buffer(data, behind=8), np.zeros(4, np.float32)], (1,), roles=by_pointer(2))
    assert _kinds(inside) == []
    assert np.isnan(inside.arrays[1][2:]).all()


def test_accesses_are_recorded_as_intervals() -> None:
    k = Builder()
    source, target = k.parameters("ptr<f32>", "ptr<f32>")
    value, _ = k.load_pointers(pointers(k, source, 4, "f32", constant(k, _ints(5, 1, 2, 6), "4xi32")))
    k.store_pointers(pointers(k, target, 4, "f32"), value)
    arrays = [np.zeros(8, np.float32), np.zeros(4, np.float32)]
    accesses = interpret(k.module(), arrays, (1,), roles=by_pointer(2), options=Options(record=True)).accesses
    assert accesses == (
        Access((0, 0, 0), False, "array 0", ((1, 3), (5, 7)), None),
        Access((0, 0, 0), True, "array 1", ((0, 4),), None),
    )


def test_arguments_are_copied() -> None:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    k.store_pointers(target, k.constant("i32", 1))
    data = _ints(0, 0)
    result = interpret(k.module(), [data], (1,), roles=by_pointer(1))
    assert (data.tolist(), result.arrays[0].tolist()) == ([0, 0], [1, 0])


def test_strided_arrays_keep_shape_and_strides() -> None:
    k = Builder()
    target, rows, columns, row_stride, column_stride = k.parameters("ptr<i32>", *["i32"] * 4)
    view = k.partition(k.array(target, [rows, columns], [row_stride, column_stride]), (2, 2))
    zero = k.constant("i32", 0)
    k.store(constant(k, _ints(1, 2, 3, 4).reshape(2, 2), "2x2xi32"), view, [zero, zero])
    data = np.zeros((4, 6), np.int32)[:, 1:5:2].T
    result = interpret(k.module(), [data], (1,))
    assert result.arrays[0].shape == (2, 4)
    assert result.arrays[0].tolist() == [[1, 2, 0, 0], [3, 4, 0, 0]]
    assert _kinds(result) == []


def test_roles_follow_the_layout_of_cutile_python() -> None:
    array = np.zeros((2, 3), np.float32)
    roles = roles_of([array, 1.5, Table((array, array)), output(4, np.float32)])
    assert roles == (
        Role.pointer(0), Role.shape(0, 0), Role.shape(0, 1), Role.stride(0, 0), Role.stride(0, 1), Role.scalar(0),
        Role.scalar(1), Role.scalar(2), Role.pointer(1), Role.shape(1, 0), Role.stride(1, 0),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "grid", "words"),
    [
        ([1, 2], (1,), "1 entry parameters, and 2"),
        ([1.5], (1,), "1.5 is given for a parameter of type `tile<i32>`"),
        ([1], (0,), "no grid"),
        ([np.zeros(4)[::-1]], (1,), "negative stride"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments: list[Any], grid: tuple[int, ...], words: str) -> None:
    k = Builder()
    k.parameters("i32")
    with pytest.raises(FerrotileError, match=words) as caught:
        interpret(k.module(), arguments, grid)
    assert caught.value.code == "FT251"


def test_elements_below_a_byte_are_refused_in_memory() -> None:
    k = Builder()
    (source,) = k.parameters("ptr<f4E2M1FN>")
    k._add("load_ptr_tko", {"source": source}, ACCESS, [tile("f4E2M1FN"), TokenType()])
    with pytest.raises(FerrotileError) as caught:
        interpret(k.module(), [np.zeros(2, np.uint8)], (1,), roles=by_pointer(1))
    assert caught.value.code == "FT250"


@pytest.mark.parametrize("mode", [AtomicRMWMode.XCHG, AtomicRMWMode.ADD])
def test_an_exchange_writes_over_what_is_undetermined(mode: AtomicRMWMode) -> None:
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    at = pointers(k, target, 4, "i32")
    attributes = {"memory_ordering_semantics": MemoryOrderingSemantics.RELAXED, **DEVICE, "mode": mode}
    values = {"pointers": at, "arg": constant(k, _ints(1, 2, 3, 4), "4xi32")}
    k._add("atomic_rmw_tko", values, attributes, [tile("4xi32"), TokenType()])
    result = interpret(k.module(), [output((4,), np.dtype(np.int32))], (1,), roles=by_pointer(1))
    is_exchange = mode is AtomicRMWMode.XCHG
    assert result.undetermined[0].tolist() == [not is_exchange] * 4
    assert not is_exchange or result.arrays[0].tolist() == [1, 2, 3, 4]
