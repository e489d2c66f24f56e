"""Interpreters that are wrong in one way each: the conformance checks notice every one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from all_checks import CHECKS

from ferrotile import ir
from ferrotile.interp import access, atomics, fold, transfer, views
from ferrotile.interp.value import Tile
from ferrotile.ir import formats, integers, numeric, product
from ferrotile.ir.enums import RoundingMode, Signedness
from ferrotile.ir.meaning import Meaning, lanes

Patch = pytest.MonkeyPatch
Mutant = Callable[[Patch], None]
MUTANTS: dict[str, tuple[Mutant, tuple[str, ...]]] = {}


def mutant(*ops: str) -> Callable[[Mutant], Mutant]:
    """Register a wrong interpreter, and the operations in whose checks it must show."""

    def register(function: Mutant) -> Mutant:
        MUTANTS[function.__name__] = (function, ops)
        return function

    return register


def set_meaning(patch: Patch, op: str, meaning: Meaning) -> None:
    """Give an operation another meaning."""
    row = next(row for row in ir.table() if row.name == op)
    patch.setitem(vars(row), "evaluate", meaning)


def changed(op: str, **other: Any) -> Meaning:
    """The meaning of an operation that believes an attribute to have another value."""
    row = next(row for row in ir.table() if row.name == op)
    assert isinstance(row.evaluate, Meaning)
    function = row.evaluate.function

    def evaluate(v: Any) -> Any:
        kept = {name: getattr(v, name) for name in other}
        v.__dict__.update({name: value(v) if callable(value) else value for name, value in other.items()})
        try:
            return function(v)
        finally:
            v.__dict__.update(kept)

    return Meaning(evaluate, row.evaluate.spread)


@mutant("addf", "mulf")
def bf16_on_bits(patch: Patch) -> None:
    right = numeric.arithmetic

    def wrong(function: str, values: list[Any], kind: str, mode: RoundingMode) -> Any:
        if kind != "bf16" or function not in ("add", "mul"):
            return right(function, values, kind, mode)
        a, b = (np.ascontiguousarray(value).view(np.int16) for value in values)
        return (a + b if function == "add" else a * b).view(ml_dtypes.bfloat16)

    patch.setattr(numeric, "arithmetic", wrong)


@mutant("cmpi")
def signed_compare_on_unsigned(patch: Patch) -> None:
    set_meaning(patch, "cmpi", changed("cmpi", signedness=Signedness.Signed))


@mutant("load_view_tko")
def view_padding_ignored(patch: Patch) -> None:
    patch.setattr(transfer, "PADDING", dict.fromkeys(transfer.PADDING, 0.0))


@mutant("load_ptr_tko")
def pointer_padding_ignored(patch: Patch) -> None:
    def wrong(op: Any, run: Any, addresses: Any, lanes_: Any, dtype: Any, rest: Any, **more: Any) -> Any:
        rest = Tile(np.zeros_like(rest.data)) if isinstance(rest, Tile) else rest
        return access.load(op, run, addresses, lanes_, dtype, rest, **more)

    patch.setattr(transfer, "load", wrong)


@mutant("load_view_tko", "load_ptr_tko")
def missing_padding_is_zero(patch: Patch) -> None:
    def wrong(op: Any, run: Any, addresses: Any, lanes_: Any, dtype: Any, rest: Any, **more: Any) -> Any:
        rest = Tile(np.zeros((), dtype)) if isinstance(rest, int) else rest
        return access.load(op, run, addresses, lanes_, dtype, rest, **more)

    patch.setattr(transfer, "load", wrong)


@mutant("scan")
def scan_never_reversed(patch: Patch) -> None:
    right, back = fold._turned, fold._turned_back
    patch.setattr(fold, "_turned", lambda tile, dim, backwards: right(tile, dim, False))
    patch.setattr(fold, "_turned_back", lambda tile, dim, backwards: back(tile, dim, False))


@mutant("divi")
def floor_division_towards_zero(patch: Patch) -> None:
    towards = lambda v: RoundingMode.ZERO if v.rounding is RoundingMode.NEGATIVE_INF else v.rounding  # noqa: E731
    set_meaning(patch, "divi", changed("divi", rounding=towards))


@mutant("divi")
def division_rounds_down(patch: Patch) -> None:
    down = lambda v: RoundingMode.NEGATIVE_INF if v.rounding is RoundingMode.ZERO else v.rounding  # noqa: E731
    set_meaning(patch, "divi", changed("divi", rounding=down))


@mutant("divi", "remi")
def division_by_zero_is_zero(patch: Patch) -> None:
    right = integers.divide

    def wrong(v: Any) -> Any:
        result = right(v)
        v.faulty = None
        return result

    set_meaning(patch, "divi", lanes(wrong))


@mutant("addf", "mulf", "fma", "sqrt")
def flush_to_zero_ignored(patch: Patch) -> None:
    patch.setattr(numeric, "flush", lambda values: values)


@mutant("load_ptr_tko", "store_ptr_tko")
def mask_inverted(patch: Patch) -> None:
    right = transfer.masked

    def wrong(*args: Any) -> Any:
        mask = right(*args)
        return None if mask is None else ~mask

    patch.setattr(transfer, "masked", wrong)


@mutant("mmaf")
def accumulates_in_f16(patch: Patch) -> None:
    def wrong(v: Any) -> Any:
        a, b = formats.widen(v.lhs, v.of("lhs")), formats.widen(v.rhs, v.of("rhs"))
        total = v.acc.astype(np.float16)
        for i in range(a.shape[-1]):
            total = (total + a[..., :, i : i + 1] * b[..., i : i + 1, :]).astype(np.float16)
        return total.astype(v.acc.dtype)

    set_meaning(patch, "mmaf", Meaning(wrong, ir.Spread.PRODUCT))


@mutant("addf", "divf", "sqrt")
def rounding_mode_ignored(patch: Patch) -> None:
    patch.setattr(numeric, "narrow", lambda exact, name, mode=None: formats.narrow(exact, name))


@mutant("fma")
def fma_rounded_twice(patch: Patch) -> None:
    def wrong(v: Any) -> Any:
        part = numeric.arithmetic("mul", [v.lhs, v.rhs], v.of("result"), v.rounding_mode)
        return numeric.arithmetic("add", [part, v.acc], v.of("result"), v.rounding_mode)

    set_meaning(patch, "fma", lanes(wrong))


@mutant("maxf", "minf")
def nan_never_propagates(patch: Patch) -> None:
    for op in ("maxf", "minf"):
        set_meaning(patch, op, changed(op, propagate_nan=False))


@mutant("maxf")
def zeros_are_alike(patch: Patch) -> None:
    set_meaning(patch, "maxf", lanes(lambda v: (np.maximum if v.propagate_nan else np.fmax)(v.rhs, v.lhs)))


@mutant("cmpf")
def ordered_not_equal_of_nan(patch: Patch) -> None:
    set_meaning(patch, "cmpf", lanes(lambda v: numeric.relation(v.comparison_predicate, v.lhs, v.rhs)))


@mutant("shri")
def shift_keeps_the_sign(patch: Patch) -> None:
    set_meaning(patch, "shri", changed("shri", signedness=Signedness.Signed))


@mutant("exti")
def zero_extension_copies_the_sign(patch: Patch) -> None:
    set_meaning(patch, "exti", changed("exti", signedness=Signedness.Signed))


@mutant("addi")
def addition_saturates(patch: Patch) -> None:
    def wrong(v: Any) -> Any:
        info = np.iinfo(v.lhs.dtype)
        return np.clip(v.lhs.astype(object) + v.rhs.astype(object), info.min, info.max).astype(v.lhs.dtype)

    set_meaning(patch, "addi", lanes(wrong))


@mutant("mulhii")
def high_product_is_signed(patch: Patch) -> None:
    def wrong(v: Any) -> Any:
        bits = integers.width(v.of("result"))
        return (v.x.astype(object) * v.y.astype(object) >> bits).astype(v.x.dtype)

    set_meaning(patch, "mulhii", lanes(wrong))


@mutant("ftoi")
def out_of_range_wraps(patch: Patch) -> None:
    right = integers.from_float

    def wrong(v: Any) -> Any:
        result = right(v)
        v.faulty = None
        return result

    set_meaning(patch, "ftoi", lanes(wrong))


@mutant("ftof")
def ties_go_away_from_zero(patch: Patch) -> None:
    away = lambda v: RoundingMode.NEAREST_AWAY if v.rounding_mode is RoundingMode.NEAREST_EVEN else v.rounding_mode  # noqa: E731
    set_meaning(patch, "ftof", changed("ftof", rounding_mode=away))


@mutant("load_view_tko", "store_view_tko")
def dim_map_ignored(patch: Patch) -> None:
    patch.setattr(views, "axes_of", lambda kind: tuple(range(len(kind.tile_shape))))


@mutant("load_view_tko")
def traversal_strides_ignored(patch: Patch) -> None:
    patch.setattr(views, "steps_of", lambda kind: kind.tile_shape)


@mutant("atomic_rmw_tko")
def lanes_of_one_place_collide(patch: Patch) -> None:
    patch.setattr(atomics, "turns", lambda addresses: [np.arange(addresses.size)])


@mutant("reduce")
def identity_ignored(patch: Patch) -> None:
    patch.setattr(fold, "identity", lambda value: np.zeros((), formats.STORAGE[value.type.name]))


@mutant("reduce")
def arguments_of_a_fold_swapped(patch: Patch) -> None:
    right = fold._reduce_pairs
    patch.setattr(fold, "_reduce_pairs", lambda t, first, combine: right(t, first, lambda a, b: combine(b, a)))


@mutant("mmai")
def signedness_of_one_side(patch: Patch) -> None:
    set_meaning(patch, "mmai", changed("mmai", signedness_rhs=lambda v: v.signedness_lhs))


def test_the_list_is_long_enough() -> None:
    assert len(MUTANTS) >= 8
    assert product.multiply


@pytest.mark.parametrize("name", MUTANTS)
def test_wrong_interpreter_is_noticed(name: str, monkeypatch: Patch) -> None:
    change, ops = MUTANTS[name]
    mine = [check for check in CHECKS if check.op in ops]
    assert mine
    change(monkeypatch)
    assert any(check.run() for check in mine)


def test_nothing_of_a_wrong_interpreter_stays() -> None:
    before = [row.evaluate for row in ir.table()]
    with pytest.MonkeyPatch.context() as patch:
        for change, _ in MUTANTS.values():
            change(patch)
        assert [row.evaluate for row in ir.table()] != before
    assert [row.evaluate for row in ir.table()] == before
