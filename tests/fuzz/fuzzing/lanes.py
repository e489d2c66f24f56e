"""Tiles as ordinary Python values: NumPy lanes that say of each element whether its value is known for sure.

Written from the language's documentation alone: nothing here comes from the interpreter or the operation table.
A lane is not known where the language leaves it open (padding, overflow of a shift, division by zero), or where a float
result depends on rounding (see `exact`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzing import exact
from fuzzing.kinds import BOOL, F32, FLOATS, GROUPS, I32, TF32, Array, Kind, promoted


class Open(Exception):
    """Control flow depends on a value that is not known."""


@dataclass(frozen=True, eq=False)
class Lanes:
    """A tile or scalar: `v` values (floats as float64), `k` which of them are known."""

    kind: Kind
    v: Array
    k: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.v.shape

    @property
    def dtype(self) -> Kind:
        return self.kind

    def only(self) -> Any:
        """The one value of a scalar. Raises: Open."""
        if not self.k.all():
            raise Open
        return self.v.item()

    def __bool__(self) -> bool:
        return bool(cast(self, BOOL).only())

    def __index__(self) -> int:
        return int(self.only())

    item = astype = reshape = permute = transpose = extract = insert = None  # set by `shaping`

    def __getitem__(self, index: Any) -> Lanes:
        return moved(self, lambda x: x[index])

    def __neg__(self) -> Lanes:
        return moved(self, np.negative)

    def __invert__(self) -> Lanes:
        if self.kind == BOOL and not self.shape:
            # What the front end makes of a constant one is wrong: P7 of FOUND.md.
            return Lanes(BOOL, np.asarray(np.logical_not(self.v)), np.zeros_like(self.k))
        return moved(self, np.logical_not if self.kind == BOOL else np.invert)

    def __abs__(self) -> Lanes:
        lowest = None if self.kind.is_float or not self.kind.signed else np.iinfo(self.kind.storage).min
        known = self.k if lowest is None else self.k & (self.v != lowest)
        return Lanes(self.kind, np.asarray(np.abs(self.v)), known)


def moved(x: Lanes, function: Callable[[Array], Any]) -> Lanes:
    """Apply a function that moves elements, or one that is exact for every value."""
    v = np.asarray(function(x.v))
    same = v.shape == x.v.shape and function in (np.negative, np.invert, np.logical_not, np.floor, np.ceil)
    return Lanes(x.kind, v, x.k if same else np.asarray(function(x.k)))


def made(kind: Kind, values: Any, known: Any = True) -> Lanes:
    """Lanes of plain values."""
    v = np.asarray(values).astype(kind.lanes)
    return Lanes(kind, v, np.broadcast_to(np.asarray(known, np.bool_), v.shape))


def literal(value: Any, kind: Kind) -> Lanes:
    """A Python number as a scalar of a kind, rounded to it."""
    if not kind.is_float:
        return made(kind, np.asarray(value).astype(kind.storage))
    if isinstance(value, float):
        value = np.float32(value)  # The front end rounds every float of the text: P8 of FOUND.md.
    return made(kind, np.asarray(float(value)).astype(kind.storage).astype(np.float64))


def negated(x: Any) -> Any:
    """`not` of a scalar, which is a scalar again and decides nothing."""
    return moved(cast(x, BOOL), np.logical_not) if isinstance(x, Lanes) else not x


def group_of(value: Any) -> str:
    """The group of a Python number."""
    return "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"


def with_literal(kind: Kind, value: Any) -> Kind:
    """The type that a tile and a Python number have together."""
    own = "float" if kind.is_float else kind.group
    if GROUPS.index(group_of(value)) <= GROUPS.index(own):
        return kind
    return F32 if group_of(value) == "float" else I32


def common(a: Any, b: Any, *, force_float: bool = False) -> tuple[Lanes, Lanes]:
    """Two operands with one type and one shape."""
    if isinstance(a, Lanes) and isinstance(b, Lanes):
        kind = promoted(a.kind, b.kind)
    else:
        kind = with_literal(a.kind, b) if isinstance(a, Lanes) else with_literal(b.kind, a)
    if force_float and not kind.is_float:
        kind = F32
    a, b = (cast(x, kind) if isinstance(x, Lanes) else literal(x, kind) for x in (a, b))
    shape = np.broadcast_shapes(a.shape, b.shape)
    return stretched(a, shape), stretched(b, shape)


def stretched(x: Lanes, shape: tuple[int, ...]) -> Lanes:
    """Broadcast."""
    return Lanes(x.kind, np.broadcast_to(x.v, shape), np.broadcast_to(x.k, shape))


def cast(x: Lanes, kind: Kind, *, nearest: bool = True) -> Lanes:
    """Convert to a type; `nearest`: with the default rounding."""
    if x.kind == kind:
        return x
    if x.kind.is_float:
        return _from_float(x, kind, nearest)
    if kind == BOOL:
        return Lanes(kind, np.asarray(x.v != 0), x.k)
    if not kind.is_float:
        return Lanes(kind, np.asarray(x.v.astype(kind.storage)), x.k)
    values = np.asarray(x.v.astype(np.float64))
    is_whole = np.abs(values) <= 2.0**53
    return Lanes(kind, values, x.k & is_whole & exact.fits(kind, values))


def _from_float(x: Lanes, kind: Kind, nearest: bool) -> Lanes:
    if kind == BOOL:
        return Lanes(kind, np.asarray(x.v != 0), x.k & ((x.v == 0) | (x.v == 1)))
    if not kind.is_float:
        limits = np.iinfo(kind.storage)
        whole = np.trunc(x.v)
        inside = (whole >= float(limits.min)) & (whole < float(limits.max))
        return Lanes(kind, np.asarray(np.where(inside, whole, 0).astype(kind.storage)), x.k & inside)
    strange = (kind in FLOATS) & ~np.isfinite(x.v)
    if kind == TF32 or x.kind.bits == 64 or not nearest:
        return Lanes(kind, x.v, x.k & (exact.fits(kind, x.v) | strange))
    rounded = np.asarray(x.v.astype(kind.storage).astype(np.float64))
    normal = np.isfinite(rounded) & (np.abs(x.v) >= kind.smallest) & (np.abs(x.v) <= kind.largest)
    return Lanes(kind, rounded, x.k & (normal | strange | (x.v == 0)))


def arithmetic(name: str, a: Any, b: Any) -> Lanes:
    """`add`, `sub`, `mul`, `truediv`, `floordiv`, `mod`, `cdiv`."""
    if not isinstance(a, Lanes) and not isinstance(b, Lanes):
        return {"cdiv": lambda x, y: -(-x // y)}.get(name, getattr(operator, name, None))(a, b)
    a, b = common(a, b, force_float=name == "truediv")
    known = a.k & b.k
    v, sure = (_float if a.kind.is_float else _int)(name, a, b)
    return Lanes(a.kind, np.asarray(v), known & sure)


def _float(name: str, a: Lanes, b: Lanes) -> tuple[Array, Array]:
    kind, finite = a.kind, np.isfinite(a.v) & np.isfinite(b.v)
    x, y = np.where(finite, a.v, 0), np.where(finite, b.v, 1)
    match name:
        case "add":
            v, sure = exact.add(kind, x, y)
        case "sub":
            v, sure = exact.add(kind, x, -y)
        case "mul":
            v, sure = exact.multiply(kind, x, y)
        case "truediv":
            v, sure = exact.divide(kind, x, y)
        case "floordiv":
            v, sure = exact.divide(kind, x, y)
            v = np.floor(v)
        case _:
            rest = np.fmod(x, np.where(y == 0, 1, y))
            fixed, sure = exact.add(kind, rest, y)
            turn = (rest != 0) & ((rest < 0) != (y < 0))
            v, sure = np.where(turn, fixed, rest), (y != 0) & (sure | ~turn)
    return v, sure & finite


def _int(name: str, a: Lanes, b: Lanes) -> tuple[Array, Array | bool]:
    if name in ("add", "sub", "mul"):
        return {"add": np.add, "sub": np.subtract, "mul": np.multiply}[name](a.v, b.v), True
    bad = b.v == 0
    if a.kind.signed:
        bad = bad | ((a.v == np.iinfo(a.kind.storage).min) & (b.v == -1))
    x, y = np.where(bad, 0, a.v).astype(a.v.dtype), np.where(bad, 1, b.v).astype(a.v.dtype)
    down, rest = np.floor_divide(x, y), np.mod(x, y)
    match name:
        case "floordiv":
            v = down
        case "mod":
            v = rest
        case _:
            v = down + (rest != 0).astype(down.dtype)
    return v, ~bad


def bitwise(function: Callable[[Array, Array], Array], a: Any, b: Any) -> Lanes:
    """And, or, exclusive or: a side that decides alone makes the result known."""
    a, b = common(a, b)
    return Lanes(a.kind, np.asarray(function(a.v, b.v)), a.k & b.k)


def shift(function: Callable[[Array, Array], Array], a: Any, b: Any) -> Lanes:
    """Shifts; an amount outside 0 .. width - 1 gives no defined value."""
    a, b = common(a, b)
    inside = (b.v >= 0) & (b.v < a.kind.bits)
    amount = np.where(inside, b.v, 0).astype(a.v.dtype)
    return Lanes(a.kind, np.asarray(function(a.v, amount)), a.k & b.k & inside)


def compare(function: Callable[[Array, Array], Array], a: Any, b: Any) -> Lanes:
    """Comparisons."""
    a, b = common(a, b)
    return Lanes(BOOL, np.asarray(function(a.v, b.v)), a.k & b.k)


def extreme(function: Callable[[Array, Array], Array], a: Any, b: Any) -> Lanes:
    """Minimum and maximum; what becomes of NaN is left open here."""
    if not isinstance(a, Lanes) and not isinstance(b, Lanes):
        return (max if function is np.maximum else min)(a, b)
    a, b = common(a, b)
    known = a.k & b.k
    if a.kind.is_float:
        known = known & ~np.isnan(a.v) & ~np.isnan(b.v)
    return Lanes(a.kind, np.asarray(function(a.v, b.v)), known)


def unsure(x: Any, *rest: Any, **modes: Any) -> Lanes:
    """A float function whose results nobody promises to the bit."""
    first = x if isinstance(x, Lanes) and x.kind.is_float else cast(x, F32) if isinstance(x, Lanes) else literal(x, F32)
    shape = np.broadcast_shapes(first.shape, *(other.shape for other in rest if isinstance(other, Lanes)))
    return Lanes(first.kind, np.zeros(shape), np.zeros(shape, np.bool_))


def _install() -> None:
    def both(name: str, function: Callable[[Any, Any], Any]) -> None:
        setattr(Lanes, f"__{name}__", function)
        setattr(Lanes, f"__r{name}__", lambda a, b: function(b, a))

    both("pow", lambda a, b: unsure(a, b))
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        both(name, lambda a, b, name=name: arithmetic(name, a, b))
    for name, ufunc in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
        both(name, lambda a, b, ufunc=ufunc: bitwise(ufunc, a, b))
    for name, ufunc in {"lshift": np.left_shift, "rshift": np.right_shift}.items():
        both(name, lambda a, b, ufunc=ufunc: shift(ufunc, a, b))
    comparisons = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
    for name, ufunc in {**comparisons, "eq": np.equal, "ne": np.not_equal}.items():
        setattr(Lanes, f"__{name}__", lambda a, b, ufunc=ufunc: compare(ufunc, a, b))
    Lanes.__hash__ = object.__hash__


_install()
