"""Reductions, scans and constants."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

import ml_dtypes
import numpy as np
from builder import DEFAULTS, tile  # pyright: ignore[reportMissingImports]
from cases import Build, Case, named
from surround import Surround
from xdsl.ir import Block, Region

from ferrotile import ir
from ferrotile.ir.enums import RoundingMode, Signedness
from ferrotile.ir.types import ScalarType, TileType

FLOAT_COMBINERS = {"addf": 0.0, "mulf": 1.0, "maxf": float("-inf"), "minf": float("inf")}
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}


def _bits(element: str, number: float) -> int:
    return int.from_bytes(NUMPY[element](number).tobytes(), "little")


def _integer_identity(combiner: str, bits: int, signed: bool) -> int:
    if combiner in ("addi", "muli"):
        return int(combiner == "muli")
    if not signed:
        return 0 if combiner == "maxi" else -1
    return -(1 << bits - 1) if combiner == "maxi" else (1 << bits - 1) - 1


def _fold(
    k: Surround, name: str, element: str, combiner: str, dim: int, identity: ir.FloatAttr | ir.IntAttr, **more: object
) -> None:
    """A reduction or scan of a 4x8 tile."""
    source = k.given(f"4x8x{element}")
    scalar = tile(element)
    block = Block(arg_types=[scalar, scalar])
    row = next(row for row in ir.table() if row.name == combiner)
    known = {key: value for key, value in {**DEFAULTS, **more}.items() if key in row.field}
    combined = ir.make(combiner, dict(zip(("lhs", "rhs"), block.args, strict=True)), known, [scalar])
    block.add_ops([combined, ir.make("yield", {"operands": combined.results})])
    attributes = {"dim": dim, "identities": (identity,)} | (
        {"reverse": more.get("reverse", False)} if name == "scan" else {}
    )
    shape = (4, 8) if name == "scan" else ((8,), (4,))[dim]
    result = TileType(ScalarType(element), shape)
    k.keep(k._add(name, {"operands": [source]}, attributes, [result], [Region(block)]).results[0])


def _float_fold(name: str, element: str, combiner: str, dim: int, number: float | None = None, **more: object) -> Build:
    value = ir.FloatAttr(ScalarType(element), _bits(element, FLOAT_COMBINERS[combiner] if number is None else number))
    return lambda k: _fold(k, name, element, combiner, dim, value, **more)


def _integer_fold(name: str, element: str, combiner: str, dim: int, signed: bool = True, **more: object) -> Build:
    kind = ScalarType(element)
    value = ir.IntAttr(kind, _integer_identity(combiner, kind.bits, signed))
    sign = Signedness.Signed if signed else Signedness.Unsigned
    return lambda k: _fold(k, name, element, combiner, dim, value, signedness=sign, **more)


def _folds(name: str) -> Iterator[tuple[str, Build]]:
    for combiner in FLOAT_COMBINERS:
        for element in ("f16", "bf16", "f32", "f64"):
            for dim in (0, 1):
                yield f"{combiner}-{element}-{dim}", _float_fold(name, element, combiner, dim)
    for combiner in ("addi", "muli", "maxi", "mini"):
        for element in ("i8", "i16", "i32", "i64"):
            yield f"{combiner}-{element}", _integer_fold(name, element, combiner, 0)
            if combiner in ("maxi", "mini"):
                yield f"{combiner}-u{element[1:]}", _integer_fold(name, element, combiner, 1, signed=False)


def two_at_once(k: Surround) -> None:
    """A reduction of two tiles together."""
    sources = [k.given("4x8xf32"), k.given("4x8xi32")]
    block = Block(arg_types=[tile(word) for word in ("f32", "f32", "i32", "i32")])
    less = ir.make("cmpf", {"lhs": block.args[0], "rhs": block.args[1]}, _known("cmpf"), [tile("i1")])
    picks = [
        ir.make("select", {"cond": less.results[0], "val_if_true": a, "val_if_false": b}, {}, [a.type])
        for a, b in (block.args[:2], block.args[2:])
    ]
    end = ir.make("yield", {"operands": [pick.results[0] for pick in picks]})
    block.add_ops([less, *picks, end])
    identities = (ir.FloatAttr(ScalarType("f32"), _bits("f32", float("inf"))), ir.IntAttr(ScalarType("i32"), 0))
    results = [tile("8xf32"), tile("8xi32")]
    op = k._add("reduce", {"operands": sources}, {"dim": 0, "identities": identities}, results, [Region(block)])
    for result in op.results:
        k.keep(result)


def _known(name: str) -> dict[str, object]:
    row = next(row for row in ir.table() if row.name == name)
    return {key: value for key, value in DEFAULTS.items() if key in row.field}


SPECIAL = {
    "zero": 0.0, "minus_zero": -0.0, "one": 1.0, "third": 1 / 3, "small": 1e-7, "large": 6e4, "nan": float("nan"),
    "inf": float("inf"), "minus_inf": float("-inf"), "subnormal": 1e-45,
}  # fmt: skip


def _constants() -> Iterator[tuple[str, Build]]:
    for element, kind in NUMPY.items():
        for name, number in SPECIAL.items():
            data = kind(number).tobytes()
            for word in (f"4x{element}", element):
                yield f"{word}-{name}", lambda k, word=word, data=data: _constant(k, word, data)
    for element in ("i8", "i16", "i32", "i64"):
        bits = ScalarType(element).bits
        numbers = {"zero": 0, "one": 1, "minus_one": -1, "least": -(1 << bits - 1), "most": (1 << bits - 1) - 1}
        for name, number in numbers.items():
            data = number.to_bytes(bits // 8, "little", signed=True)
            for word in (f"4x{element}", element):
                yield f"{word}-{name}", lambda k, word=word, data=data: _constant(k, word, data)
    for name, data in (("false", b"\0"), ("true", b"\xff")):
        for word in ("4xi1", "i1"):
            yield f"{word}-{name}", lambda k, word=word, data=data: _constant(k, word, data)
    yield "different", lambda k: _constant(k, "4xf32", struct.pack("<4f", 1, 2, 3, 4))
    yield "alike", lambda k: _constant(k, "4xf32", struct.pack("<4f", 2, 2, 2, 2))
    for element in ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"):
        size = 3 if element == "tf32" else 1
        yield f"4x{element}", lambda k, element=element, size=size: _constant(k, f"4x{element}", bytes(size))


def _constant(k: Surround, word: str, data: bytes) -> None:
    k.keep(k._add("constant", {}, {"value": data}, [tile(word)]).results[0])


MODIFIED = {
    "ftz": _float_fold("reduce", "f32", "addf", 0, flush_to_zero=True),
    "rounded": _float_fold("reduce", "f32", "addf", 0, rounding_mode=RoundingMode.ZERO),
    "other_start": _float_fold("reduce", "f32", "addf", 0, number=1.0),
    "finite_start": _float_fold("reduce", "f32", "maxf", 0, number=-1.0),
    "two": two_at_once,
}
BACK = {
    "back": _float_fold("scan", "f32", "addf", 0, reverse=True),
    "integer_back": _integer_fold("scan", "i32", "addi", 0, reverse=True),
}
REDUCTIONS = dict(_folds("reduce")) | MODIFIED
SCANS = dict(_folds("scan")) | BACK
CONSTANTS = dict(_constants())
UNSPELLED = re.compile(r"different|4xtf32")

DATA: list[Case] = [
    *named("reduce", REDUCTIONS),
    *named("scan", SCANS),
    *named("constant", CONSTANTS, **{name: "FT303" for name in CONSTANTS if UNSPELLED.fullmatch(name)}),
]
