"""Functions of cuTile Python on tiles as a whole: rearranging, reductions, scans, matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzzing import exact
from fuzzing.kinds import BOOL, F16, F32, F64, I8, I32, U8, Array, Kind
from fuzzing.lanes import Lanes, cast, common, literal, made, moved, stretched
from fuzzing.memory import _shape


def reshape(x: Lanes, shape: Any) -> Lanes:
    return moved(x, lambda a: a.reshape(_shape(shape)))


def permute(x: Lanes, axes: Any) -> Lanes:
    return moved(x, lambda a: a.transpose(axes))


def transpose(x: Lanes, axis0: int | None = None, axis1: int | None = None) -> Lanes:
    return moved(x, lambda a: a.T if axis0 is None else a.swapaxes(axis0, axis1))


def expand_dims(x: Lanes, axis: int) -> Lanes:
    return moved(x, lambda a: np.expand_dims(a, axis))


def cat(tiles: tuple[Lanes, Lanes], axis: int) -> Lanes:
    kind = tiles[0].kind
    assert all(tile.kind == kind for tile in tiles)
    return Lanes(kind, np.concatenate([t.v for t in tiles], axis), np.concatenate([t.k for t in tiles], axis))


def _cut(index: Any, shape: tuple[int, ...]) -> tuple[slice, ...]:
    at = [int(i) for i in (index if isinstance(index, tuple) else (index,))]
    return tuple(slice(i * n, (i + 1) * n) for i, n in zip(at, shape, strict=True))


def extract(x: Lanes, index: Any, shape: Any) -> Lanes:
    full = _shape(shape) or (1,) * len(x.shape)
    return reshape(moved(x, lambda a: a[_cut(index, full)]), _shape(shape))


def insert(x: Lanes, index: Any, value: Lanes) -> Lanes:
    assert x.kind == value.kind
    v, k = np.array(x.v), np.array(x.k)
    shape = value.shape or (1,) * len(x.shape)
    v[_cut(index, shape)], k[_cut(index, shape)] = value.v.reshape(shape), value.k.reshape(shape)
    return Lanes(x.kind, v, k)


def bitcast(x: Lanes, kind: Kind) -> Lanes:
    """Same bits. Of a float, the bits of zeros and of NaN are not known."""
    bits = np.ascontiguousarray(x.v.astype(x.kind.storage)).reshape(x.shape)
    known = x.k & (x.v != 0) & ~np.isnan(x.v) if x.kind.is_float else x.k
    return Lanes(kind, np.asarray(bits.view(kind.storage).astype(kind.lanes)), known)


def where(condition: Any, a: Any, b: Any) -> Lanes:
    a, b = common(a, b)
    condition = cast(condition, BOOL) if isinstance(condition, Lanes) else literal(condition, BOOL)
    shape = np.broadcast_shapes(condition.shape, a.shape)
    condition, a, b = (stretched(x, shape) for x in (condition, a, b))
    known = condition.k & np.where(condition.v, a.k, b.k)
    return Lanes(a.kind, np.asarray(np.where(condition.v, a.v, b.v)), known)


def full(shape: Any, value: Any, dtype: Kind) -> Lanes:
    value = cast(value, dtype) if isinstance(value, Lanes) else literal(value, dtype)
    return stretched(value, _shape(shape))


def arange(size: int, *, dtype: Kind, start: int = 0, step: int = 1) -> Lanes:
    return made(dtype, np.arange(int(size)) * step + start)


def _whole(kind: Kind, x: Lanes, axis: int, sure: Array) -> Array:
    """All lanes along an axis are known and finite, and the result is sure."""
    return x.k.all(axis=axis) & np.isfinite(x.v).all(axis=axis) & sure


def _sum(x: Lanes, axis: int) -> Lanes:
    if not x.kind.is_float:
        return Lanes(x.kind, np.asarray(np.add.reduce(x.v, axis=axis, dtype=x.v.dtype)), x.k.all(axis=axis))
    clean = np.where(np.isfinite(x.v) & x.k, x.v, 0)
    sure = exact.any_order(x.kind, np.abs(clean).sum(axis=axis), exact.grain(clean))
    return Lanes(x.kind, np.asarray(clean.sum(axis=axis)), _whole(x.kind, x, axis, sure))


def _prod(x: Lanes, axis: int) -> Lanes:
    if not x.kind.is_float:
        return Lanes(x.kind, np.asarray(np.multiply.reduce(x.v, axis=axis, dtype=x.v.dtype)), x.k.all(axis=axis))
    clean = np.where(np.isfinite(x.v) & x.k, x.v, 1)
    with np.errstate(all="ignore"):
        v = np.asarray(clean.prod(axis=axis))
    return Lanes(x.kind, v, _whole(x.kind, x, axis, exact.any_product(x.kind, clean, axis)))


def _extreme(x: Lanes, axis: int, function: Any) -> Lanes:
    known = x.k.all(axis=axis)
    if x.kind.is_float:
        known = known & ~np.isnan(x.v).any(axis=axis)
    if x.kind == F64 and function is np.max:
        known = np.zeros_like(known)  # The front end writes the identity as +inf: P5 of FOUND.md.
    return Lanes(x.kind, np.asarray(function(x.v, axis=axis)), known)


FOLDS: dict[str, Callable[[Lanes, int], Lanes]] = {
    "sum": _sum,
    "prod": _prod,
    "max": lambda x, axis: _extreme(x, axis, np.max),
    "min": lambda x, axis: _extreme(x, axis, np.min),
}


def fold(name: str, x: Lanes, axis: Any = None, *, keepdims: bool = False, **modes: Any) -> Lanes:
    """`ct.sum` and its kin, along one axis, several, or all."""
    x = cast(x, I32) if x.kind == BOOL else x
    rank = len(x.shape)
    axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    for number in sorted((a % rank for a in axes), reverse=True):
        x = FOLDS[name](x, number)
        x = expand_dims(x, number) if keepdims else x
    return x


def position(name: str, x: Lanes, axis: int | None = None, *, keepdims: bool = False, **modes: Any) -> Lanes:
    """`ct.argmax`, `ct.argmin`: the first place of the largest or smallest."""
    kept = (1,) * len(x.shape)
    if axis is None:
        found = position(name, reshape(x, (x.v.size,)), 0)
        return reshape(found, kept) if keepdims else found
    known = x.k.all(axis=axis)
    if x.kind.is_float:
        known = known & ~np.isnan(x.v).any(axis=axis) & (x.kind != F64)  # as above
    v = (np.argmax if name == "argmax" else np.argmin)(x.v, axis=axis)
    result = Lanes(I32, np.asarray(v).astype(np.int32), known)
    return expand_dims(result, axis) if keepdims else result


def running(name: str, x: Lanes, axis: int = 0, *, reverse: bool = False, **modes: Any) -> Lanes:
    """`ct.cumsum`, `ct.cumprod`: each result is the fold of what comes before it."""
    x = cast(x, I32) if x.kind == BOOL else x
    turned = moved(x, lambda a: np.moveaxis(a, axis, 0)[:: -1 if reverse else 1])
    inner = FOLDS["sum" if name == "cumsum" else "prod"]
    parts = [inner(Lanes(x.kind, turned.v[: i + 1], turned.k[: i + 1]), 0) for i in range(turned.shape[0])]
    stacked = Lanes(x.kind, np.stack([p.v for p in parts]), np.stack([p.k for p in parts]))
    return moved(stacked, lambda a: np.moveaxis(a[:: -1 if reverse else 1], 0, axis))


def _steps(x: Lanes, axis: int, function: Any, identity: Any, reverse: bool = False) -> list[Lanes]:
    turned = moved(x, lambda a: np.moveaxis(a, axis, 0)[:: -1 if reverse else 1])
    total = full(turned.shape[1:], identity, x.kind)
    found: list[Lanes] = []
    for i in range(turned.shape[0]):
        total = function(total, Lanes(x.kind, np.asarray(turned.v[i]), np.asarray(turned.k[i])))
        # The order in which a custom function is applied is open; on floats it shows.
        found.append(Lanes(x.kind, total.v, total.k & (not x.kind.is_float)))
    return found


def reduce(x: Lanes, axis: int, func: Any, identity: Any, *, keepdims: bool = False) -> Lanes:
    result = _steps(x, axis, func, identity)[-1]
    return expand_dims(result, axis) if keepdims else result


def scan(x: Lanes, axis: int, func: Any, identity: Any, *, reverse: bool = False) -> Lanes:
    parts = _steps(x, axis, func, identity, reverse)
    stacked = Lanes(x.kind, np.stack([p.v for p in parts]), np.stack([p.k for p in parts]))
    return moved(stacked, lambda a: np.moveaxis(a[:: -1 if reverse else 1], 0, axis))


def mma(x: Lanes, y: Lanes, acc: Lanes, **modes: Any) -> Lanes:
    """x @ y + acc in the type of the accumulator."""
    if not x.kind.is_float:
        total = (x.v.astype(np.int64) @ y.v.astype(np.int64) + acc.v).astype(np.int32)
        known = x.k.all(axis=-1, keepdims=True) & y.k.all(axis=-2, keepdims=True) & acc.k
        return Lanes(acc.kind, np.asarray(total), known)
    known = [(lanes.k & np.isfinite(lanes.v)) for lanes in (x, y, acc)]
    a, b, c = (np.where(k, lanes.v, 0) for lanes, k in zip((x, y, acc), known, strict=True))
    step = min(exact.grain(a) * exact.grain(b), exact.grain(c))
    sure = exact.any_order(acc.kind, np.abs(a) @ np.abs(b) + np.abs(c), step)
    whole = known[0].all(axis=-1, keepdims=True) & known[1].all(axis=-2, keepdims=True) & known[2]
    return Lanes(acc.kind, np.asarray(a @ b + c), whole & sure)


def matmul(x: Lanes, y: Lanes) -> Lanes:
    """`x @ y`: the product accumulates in the first type that mma takes for the operands, and is converted back."""
    kind = {F16: F16, F64: F64, I8: I32, U8: I32}.get(x.kind, F32)
    zero = made(kind, np.zeros(np.matmul(x.v, y.v).shape))
    return cast(mma(x, y, zero), x.kind)


def _methods() -> None:
    def astype(self: Lanes, dtype: Kind, rounding_mode: Any = None) -> Lanes:
        return cast(self, dtype, nearest=rounding_mode is None)

    def item(self: Lanes) -> Lanes:
        return reshape(self, ())

    for function in (astype, item, reshape, permute, transpose, extract, insert):
        setattr(Lanes, function.__name__, function)
    Lanes.__matmul__ = matmul  # type: ignore[attr-defined]


_methods()
