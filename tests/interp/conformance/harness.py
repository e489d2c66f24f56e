"""Run one operation in a kernel of its own, and keep the list of all checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import exact
import numpy as np
from builder import Builder, tile
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.interp import Options, Tile, interpret
from ferrotile.ir.formats import STORAGE
from ferrotile.ir.spec import Arity

WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = ("f16", "bf16", "f32", "f64")
ALL_FLOATS = (*FLOATS, "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f8E5M3FNU", "f4E2M1FN")
INTS = ("i8", "i16", "i32", "i64")


@dataclass(frozen=True)
class Check:
    """One property of one operation on one type: `run` gives what is wrong, nothing if all is well."""

    op: str
    dtype: str
    name: str
    run: Callable[[], list[str]]

    @property
    def title(self) -> str:
        """A name for tests."""
        return f"{self.op}-{self.dtype}-{self.name}"


CHECKS: list[Check] = []


def check(op: str, dtype: str, name: str) -> Callable[[Callable[[], Iterable[str]]], None]:
    """Register a generator of faults."""

    def register(function: Callable[[], Iterable[str]]) -> None:
        CHECKS.append(Check(op, dtype, name, lambda: list(function())))

    return register


def stored(values: Sequence[Any], name: str) -> Any:
    """Numbers as the interpreter keeps them; each must be one of the type."""
    if name in WIDTHS:
        return np.asarray([exact.signed(int(value), WIDTHS[name]) for value in values]).astype(STORAGE[name])
    if name == "f8E5M3FNU":
        return np.asarray([e5m3_bits(value) for value in values], np.uint8)
    with np.errstate(all="ignore"):
        return np.asarray(values, np.float64).astype(STORAGE[name])


def e5m3_bits(value: float) -> int:
    """The byte of an f8E5M3FNU number."""
    if math.isnan(value):
        return 255
    return next(bits for bits in range(255) if e5m3_value(bits) == value)


def e5m3_value(bits: int) -> float:
    """The number of an f8E5M3FNU byte."""
    exponent, fraction = bits >> 3, bits & 7
    if bits == 255:
        return math.nan
    return math.ldexp(fraction, -17) if exponent == 0 else math.ldexp(8 + fraction, exponent - 18)


def plain(tile_: Tile, name: str) -> list[Any]:
    """What a tile holds, as Python numbers."""
    flat = tile_.data.reshape(-1)
    if name == "f8E5M3FNU":
        return [e5m3_value(int(bits)) for bits in flat]
    if name in WIDTHS:
        return [int(value) if name != "i1" else -int(value) for value in flat]
    with np.errstate(all="ignore"):
        return [float(value) for value in flat.astype(np.float64)]


def run_op(name: str, operands: Sequence[tuple[Any, str]], to: str, **attributes: Any) -> Tile:
    """Run one operation on constants. `operands`: numbers and a type word such as `8xf32`; `to`: the result's type."""
    k = Builder()
    k.parameters()
    values = [constant(k, data, word) for data, word in operands]
    row = next(row for row in ir.table() if row.name == name)
    named: dict[str, Any] = dict(zip((slot.name for slot in row.operands), values, strict=False))
    if row.operands and row.operands[-1].arity is Arity.MANY:
        fixed = len(row.operands) - 1
        named[row.operands[-1].name] = values[fixed:]
    made = k._add(name, named, attributes, [tile(to)])
    return seen(k, made)


def constant(k: Builder, data: Any, word: str) -> Any:
    """A constant of stored numbers."""
    kind = tile(word)
    name = kind.element.name
    raw = np.ascontiguousarray(data)
    raw = raw.astype(np.int8) if name == "i1" else raw
    if name in ("i4", "f4E2M1FN"):
        nibbles = raw.view(np.uint8).reshape(-1, 2) & 15
        raw = nibbles[:, 0] | nibbles[:, 1] << 4
    if name == "tf32":
        high = np.ascontiguousarray(raw.view(np.uint32) >> 13).view(np.uint8).reshape(-1, 4)
        raw = np.ascontiguousarray(high[:, :3])
    return k._add("constant", {}, {"value": raw.tobytes()}, [kind]).results[0]


def seen(k: Builder, wanted: Operation, **options: Any) -> Tile:
    """The first result of an operation when its kernel runs."""
    module = k.module()
    ir.verify(module)
    found: list[Any] = []

    def watch(op: Operation, values: tuple[Any, ...], block: Any) -> None:
        if op is wanted:
            found.append(values[0])

    interpret(module, [], (1,), options=Options(watch=watch, **options))
    assert found, f"`{wanted.name}` did not run"
    return found[-1]


def compare(got: list[Any], want: list[Any], given: Sequence[Any]) -> Iterable[str]:
    """Faults of a result against the reference, element by element; `None` in the reference is undefined."""
    for i, (a, b) in enumerate(zip(got, want, strict=True)):
        if b is None:
            continue
        if not (exact.same(a, b) if isinstance(b, float) else a == b):
            yield f"{[column[i] for column in given]} gives {a}, not {b}"


def compare_poison(tile_: Tile, want: list[Any], given: Sequence[Any]) -> Iterable[str]:
    """Faults in what is undetermined: exactly what the reference leaves undefined."""
    origin = np.zeros(tile_.data.shape, np.int32) if tile_.origin is None else tile_.origin
    for i, (number, value) in enumerate(zip(origin.reshape(-1), want, strict=True)):
        if bool(number) != (value is None):
            yield f"{[column[i] for column in given]} is {'un' if number else ''}determined"
