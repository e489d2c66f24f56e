"""Checks of operations on whole tiles: rearranging, products, folds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import exact
import numpy as np
from builder import Builder, tile
from elementwise import read
from harness import FLOATS, INTS, WIDTHS, check, compare, constant, plain, run_op, seen, stored
from xdsl.ir import Block, Region

from ferrotile.interp import Tile
from ferrotile.ir.attributes import FloatAttr, IntAttr
from ferrotile.ir.enums import ComparisonPredicate, Signedness
from ferrotile.ir.formats import STORAGE
from ferrotile.ir.types import ScalarType

EACH = ("i1", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN")


def numbered(shape: Sequence[int], name: str) -> Any:
    """A tile of different small numbers, where the type has so many."""
    count = int(np.prod(shape))
    values = [i % 2 if name == "i1" else i % 16 for i in range(count)]
    return stored(values, name).reshape(shape)


def word(shape: Sequence[int], name: str) -> str:
    """A type word."""
    return "x".join([*map(str, shape), name])


def _moved(
    op: str,
    name: str,
    label: str,
    source: tuple[int, ...],
    target: tuple[int, ...],
    where: Callable[..., Any],
    **more: Any,
) -> None:
    """`where` gives the source position of each target position."""

    @check(op, name, label)
    def run() -> Iterable[str]:
        data = numbered(source, name)
        got = run_op(op, [(data, word(source, name))], word(target, name), **more)
        want = [data[where(*at)] for at in itertools.product(*map(range, target))]
        if got.data.shape != target or list(got.data.reshape(-1)) != want:
            yield f"{data.tolist()} becomes {got.data.tolist()}"


def _rearranging(name: str) -> None:
    _moved("reshape", name, "row-major", (4, 4), (2, 8), lambda i, j: divmod(i * 8 + j, 4))
    _moved("broadcast", name, "along 1", (4, 1), (4, 8), lambda i, j: (i, 0))
    _moved("broadcast", name, "along 0", (1, 8), (4, 8), lambda i, j: (0, j))
    _moved("permute", name, "three axes", (2, 4, 8), (8, 2, 4), lambda i, j, k: (j, k, i), permutation=(2, 0, 1))


def _joining(name: str) -> None:
    @check("cat", name, "along 0 and 1")
    def cat() -> Iterable[str]:
        for dim, target in ((0, (8, 4)), (1, (4, 8))):
            a, b = numbered((4, 4), name), numbered((4, 4), name)[::-1].copy()
            got = run_op("cat", [(a, word((4, 4), name)), (b, word((4, 4), name))], word(target, name), dim=dim)
            rows = (
                [*a.tolist(), *b.tolist()]
                if dim == 0
                else [[*x, *y] for x, y in zip(a.tolist(), b.tolist(), strict=True)]
            )
            if got.data.tolist() != rows:
                yield f"along {dim} gives {got.data.tolist()}"

    @check("extract", name, "numbered parts, none outside")
    def extract() -> Iterable[str]:
        data = numbered((4, 8), name)
        for i, j in ((0, 0), (1, 3), (1, 0)):
            indices = [(np.asarray(x, np.int32), "i32") for x in (i, j)]
            got = run_op("extract", [(data, word((4, 8), name)), *indices], word((2, 2), name))
            want = [[data[2 * i + r, 2 * j + c].item() for c in range(2)] for r in range(2)]
            if got.data.tolist() != want or got.origin is not None:
                yield f"part {i}, {j} is {got.data.tolist()}"
        for index in (2, -1):
            indices = [(np.asarray(x, np.int32), "i32") for x in (index, 0)]
            if run_op("extract", [(data, word((4, 8), name)), *indices], word((2, 2), name)).origin is None:
                yield f"part {index}, which does not exist, is determined"


def _replacing(name: str) -> None:
    @check("insert", name, "replaces one part")
    def insert() -> Iterable[str]:
        data, part = numbered((4, 8), name), numbered((2, 2), name)[::-1].copy()
        indices = [(np.asarray(x, np.int32), "i32") for x in (1, 3)]
        got = run_op("insert", [(part, word((2, 2), name)), (data, word((4, 8), name)), *indices], word((4, 8), name))
        want = data.tolist()
        for r, c in itertools.product(range(2), range(2)):
            want[2 + r][6 + c] = part[r, c].item()
        if got.data.tolist() != want:
            yield f"gives {got.data.tolist()}"

    @check("select", name, "both sides")
    def select() -> Iterable[str]:
        condition = stored([i % 3 == 0 for i in range(16)], "i1")
        a, b = numbered((16,), name), numbered((16,), name)[::-1].copy()
        got = run_op(
            "select", [(condition, "16xi1"), (a, word((16,), name)), (b, word((16,), name))], word((16,), name)
        )
        want = [a[i].item() if i % 3 == 0 else b[i].item() for i in range(16)]
        if got.data.tolist() != want:
            yield f"gives {got.data.tolist()}"


def _counting(name: str) -> None:
    @check("iota", name, "from 0")
    def run() -> Iterable[str]:
        count = min(1 << WIDTHS[name], 256)
        got = plain(run_op("iota", [], f"{count}x{name}"), name)
        if got != [exact.signed(i, WIDTHS[name]) for i in range(count)]:
            yield f"gives {got}"


PRODUCTS = (
    ("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64"),
    ("f8E4M3FN", "f16"), ("f8E4M3FN", "f32"), ("f8E5M2", "f32"),
)  # fmt: skip


def _product(name: str, total: str) -> None:
    @check("mmaf", name, f"small numbers into {total}")
    def run() -> Iterable[str]:
        for batch in ((), (2,)):
            rng = np.random.default_rng(len(name))
            a, b = (rng.integers(-4, 5, (*batch, *shape)) for shape in ((4, 8), (8, 2)))
            c = rng.integers(-50, 50, (*batch, 4, 2))
            yield from _multiplied(a, b, c, name, total, batch)

    @check("mmaf", name, f"rounded once into {total}")
    def rounding() -> Iterable[str]:
        rng = np.random.default_rng(7)
        grid = [exact.rounded(Fraction(float(x)), name) for x in rng.random(16 * 3) + 0.5]
        a, b = np.reshape(grid[:32], (4, 8)), np.reshape(grid[16:48], (8, 4))[:, :2]
        yield from _multiplied(a, b, np.zeros((4, 2)), name, total, ())


def _multiplied(a: Any, b: Any, c: Any, name: str, total: str, batch: tuple[int, ...]) -> Iterable[str]:
    operands = [
        (stored(x.reshape(-1).tolist(), kind).reshape(x.shape), word(x.shape, kind))
        for x, kind in ((a, name), (b, name), (c, total))
    ]
    got = run_op("mmaf", operands, word((*batch, 4, 2), total), fast_acc=False)
    want = []
    for *at, i, j in itertools.product(*map(range, batch), range(4), range(2)):
        left, right = a[tuple(at)][i], b[tuple(at)][:, j]
        terms = [Fraction(float(x)) * Fraction(float(y)) for x, y in zip(left, right, strict=True)]
        want.append(exact.rounded(sum(terms, Fraction(int(c[(*at, i, j)]))), total))
    if total == "f64":
        want = [float(np.float64(x)) for x in want]
        if not np.allclose(plain(got, total), want, rtol=2**-50):
            yield f"gives {plain(got, total)}, not {want}"
        return
    yield from compare(plain(got, total), want, [range(len(want))])


@check("mmai", "i8", "each signedness, wrap-around")
def _integers() -> Iterable[str]:
    rng = np.random.default_rng(3)
    a, b = rng.integers(-128, 128, (4, 8)), rng.integers(-128, 128, (8, 2))
    c = rng.integers(-(2**31), 2**31, (4, 2))
    c[0, 0], c[0, 1] = 2**31 - 1, -(2**31)
    for left, right in itertools.product(("Signed", "Unsigned"), repeat=2):
        more = {"signedness_lhs": Signedness[left], "signedness_rhs": Signedness[right]}
        operands = [(a.astype(np.int8), "4x8xi8"), (b.astype(np.int8), "8x2xi8"), (c.astype(np.int32), "4x2xi32")]
        got = plain(run_op("mmai", operands, "4x2xi32", **more), "i32")
        want = [
            exact.signed(
                sum(read(int(a[i, k]), "i8", left) * read(int(b[k, j]), "i8", right) for k in range(8)) + int(c[i, j]),
                32,
            )
            for i, j in itertools.product(range(4), range(2))
        ]
        yield from compare(got, want, [range(8)])


@check("mmaf_scaled", "f8E4M3FN", "a scale for each run")
def _scaled() -> Iterable[str]:
    rng = np.random.default_rng(5)
    a, b = rng.integers(-4, 5, (4, 8)), rng.integers(-4, 5, (8, 2))
    left, right = 2.0 ** rng.integers(-2, 3, (4, 2)), 2.0 ** rng.integers(-2, 3, (2, 2))
    c = rng.integers(-4, 5, (4, 2))
    kinds = ((a, "f8E4M3FN"), (b, "f8E4M3FN"), (c, "f32"), (left, "f8E8M0FNU"), (right, "f8E8M0FNU"))
    operands = [(stored(x.reshape(-1).tolist(), k).reshape(x.shape), word(x.shape, k)) for x, k in kinds]
    got = plain(run_op("mmaf_scaled", operands, "4x2xf32"), "f32")
    want = [
        float(sum(a[i, k] * left[i, k // 4] * b[k, j] * right[k // 4, j] for k in range(8)) + c[i, j])
        for i, j in itertools.product(range(4), range(2))
    ]
    yield from compare(got, want, [range(8)])


def fold(op: str, data: Any, name: str, body: str, identity: Any, dim: int, **more: Any) -> Tile:
    """Run a reduction or scan whose body is one operation, or one of its arguments (`later`, `earlier`)."""
    k = Builder()
    k.parameters()
    source = constant(k, data, word(data.shape, name))
    scalar = tile(name)
    block = Block(arg_types=[scalar, scalar])
    shape = data.shape if op == "scan" else (*data.shape[:dim], *data.shape[dim + 1 :])
    order = more.pop("fold_order", "pairs")
    attributes = {"dim": dim, "identities": (identity,), **more}
    made = k._add(op, {"operands": [source]}, attributes, [tile(word(shape, name))], [Region(block)])
    with k._inside(block):
        if body in ("later", "earlier"):
            k.end("yield", block.args[0 if body == "later" else 1])
        else:
            k.end("yield", getattr(k, body)(*block.args))
    return seen(k, made, fold_order=order)


def neutral(name: str, value: float) -> Any:
    """An identity."""
    kind = ScalarType(name)
    if kind.is_integer:
        return IntAttr(kind, int(value))
    raw = np.asarray(value, np.float64).astype(STORAGE[name])
    return FloatAttr(kind, int.from_bytes(raw.tobytes(), "little"))


FOLDS: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "add": (lambda a, b: a + b, 0),
    "mul": (lambda a, b: a * b, 1),
    "max": (max, -100),
    "min": (min, 100),
}


def _folding(name: str, short: str) -> None:
    function, start = FOLDS[short]
    body = short + ("f" if name in FLOATS else "i")

    @check("reduce", name, short)
    def run() -> Iterable[str]:
        for dim in (0, 1):
            yield from _folded("reduce", dim, False)

    @check("scan", name, short)
    def scan() -> Iterable[str]:
        for dim, reverse in itertools.product((0, 1), (False, True)):
            yield from _folded("scan", dim, reverse)

    def _folded(op: str, dim: int, reverse: bool) -> Iterable[str]:
        values = np.random.default_rng(11).integers(-2, 3, (4, 8))
        data = stored(values.reshape(-1).tolist(), name).reshape(4, 8)
        more = {"reverse": reverse} if op == "scan" else {}
        for order in ("pairs", "sequence"):
            got = fold(op, data, name, body, neutral(name, start), dim, fold_order=order, **more)
            yield from _lines(got, values, op, dim, reverse)

    def _lines(got: Tile, values: Any, op: str, dim: int, reverse: bool) -> Iterable[str]:
        lines = np.moveaxis(values, dim, -1).tolist()
        want = [_running(line[::-1] if reverse else line, function) for line in lines]
        want = [line[::-1] if reverse else line for line in want] if op == "scan" else [line[-1] for line in want]
        found = np.moveaxis(got.data, dim, -1) if op == "scan" else got.data
        if found.astype(np.float64).tolist() != want:
            yield f"along {dim}{' backwards' if reverse else ''}: {found.tolist()}, not {want}"


def _running(line: list[Any], function: Callable[[Any, Any], Any]) -> list[Any]:
    return list(itertools.accumulate(line, function))


@check("reduce", "f32", "the stated orders")
def _orders() -> Iterable[str]:
    values = np.random.default_rng(2).standard_normal(16).astype(np.float32)
    want = {"sequence": values[0] + np.float32(0)}
    for value in values[1:]:
        want["sequence"] = value + want["sequence"]
    level = list(values)
    while len(level) > 1:
        level = [level[i + 1] + level[i] for i in range(0, len(level), 2)]
    want["pairs"] = level[0]
    for order, number in want.items():
        got = fold("reduce", values, "f32", "addf", neutral("f32", 0.0), 0, fold_order=order)
        if got.data != number:
            yield f"in {order}: {got.data}, not {number}"


@check("reduce", "i32", "which argument is the later one, and the identity is used")
def _sides() -> Iterable[str]:
    data = np.arange(1, 9, dtype=np.int32)
    for body, number in (("later", 8), ("earlier", 77)):
        for order in ("pairs", "sequence"):
            got = fold("reduce", data, "i32", body, neutral("i32", 77), 0, fold_order=order)
            if int(got.data) != number:
                yield f"{body} in {order}: {got.data}, not {number}"
    got = fold("scan", data, "i32", "later", neutral("i32", 77), 0, reverse=False)
    if got.data.tolist() != data.tolist():
        yield f"a scan that keeps the later: {got.data.tolist()}"


@check("reduce", "f32", "two operands: the largest and where it is")
def _arg_max() -> Iterable[str]:
    k = Builder()
    k.parameters()
    data = np.asarray([3, 1, 9, 2, 9, 4, 0, 5], np.float32)
    kinds = [tile("f32"), tile("f32"), tile("i32"), tile("i32")]
    block = Block(arg_types=kinds)
    sources = [constant(k, data, "8xf32"), constant(k, np.arange(8, dtype=np.int32), "8xi32")]
    attributes = {"dim": 0, "identities": (neutral("f32", -np.inf), neutral("i32", -1))}
    made = k._add("reduce", {"operands": sources}, attributes, [tile("f32"), tile("i32")], [Region(block)])
    with k._inside(block):
        later, earlier, place, before = block.args
        wins = k.cmpf(later, earlier, to="i1", comparison_predicate=ComparisonPredicate.GREATER_THAN)
        k.end("yield", k.select(wins, later, earlier, to="f32"), k.select(wins, place, before, to="i32"))
    module = k.module()
    found: list[Any] = []
    from ferrotile.interp import Options, interpret

    interpret(
        module, [], (1,), options=Options(watch=lambda op, values, block: found.append(values) if op is made else None)
    )
    value, at = (float(tile_.data) for tile_ in found[0])
    if (value, at) != (9.0, 2.0):
        yield f"{data.tolist()}: {value} at {at}"


for _name in EACH:
    _rearranging(_name)
    _joining(_name)
    _replacing(_name)
for _name in INTS:
    _counting(_name)
for _pair in PRODUCTS:
    _product(*_pair)
for _name in (*FLOATS, "i32", "i64"):
    for _short in FOLDS:
        _folding(_name, _short)
