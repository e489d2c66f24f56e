"""Checks of float and integer arithmetic, comparison and logic, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import exact
import numpy as np
from harness import FLOATS, INTS, WIDTHS, check, compare, compare_poison, plain, run_op, stored
from numbers_of import floats, ints, padded, tuples

from ferrotile.ir.enums import (
    ComparisonOrdering,
    ComparisonPredicate,
    IntegerOverflow,
    RoundingMode,
    Signedness,
)

IEEE = ("NEAREST_EVEN", "ZERO", "NEGATIVE_INF", "POSITIVE_INF")
ARITHMETIC = {
    "addf": ("add", 2),
    "subf": ("sub", 2),
    "mulf": ("mul", 2),
    "divf": ("div", 2),
    "sqrt": ("sqrt", 1),
    "fma": ("fma", 3),
}
PREDICATES: dict[str, Callable[[Any, Any], bool]] = {
    "EQUAL": lambda a, b: a == b,
    "NOT_EQUAL": lambda a, b: a != b,
    "LESS_THAN": lambda a, b: a < b,
    "LESS_THAN_OR_EQUAL": lambda a, b: a <= b,
    "GREATER_THAN": lambda a, b: a > b,
    "GREATER_THAN_OR_EQUAL": lambda a, b: a >= b,
}


def faults(
    op: str, rows: list[tuple[Any, ...]], kinds: tuple[str, ...], to: str, want: list[Any], **more: Any
) -> Iterable[str]:
    """Run an operation on rows of operands and compare with what is wanted (`None`: undefined)."""
    columns = list(zip(*rows, strict=True))
    operands = [(stored(column, kind), f"{len(rows)}x{kind}") for column, kind in zip(columns, kinds, strict=True)]
    tile = run_op(op, operands, f"{len(rows)}x{to}", **more)
    yield from compare(plain(tile, to), want, columns)
    yield from compare_poison(tile, want, columns)


def _arithmetic(op: str, name: str, mode: str) -> None:
    function, arity = ARITHMETIC[op]

    @check(op, name, mode.lower())
    def run() -> Iterable[str]:
        rows = tuples(floats(name, 40), arity, 2048 if arity == 3 else 1024)
        want = [exact.arithmetic(function, list(row), name, mode) for row in rows]
        more = {"rounding_mode": RoundingMode[mode], "flush_to_zero": False}
        yield from faults(op, rows, (name,) * arity, name, want, **more)


def _flushing(op: str) -> None:
    function, arity = ARITHMETIC[op]

    @check(op, "f32", "flush to zero")
    def run() -> Iterable[str]:
        rows = tuples(floats("f32", 10), arity)
        want = [exact.flushed(exact.arithmetic(function, [exact.flushed(x) for x in row], "f32")) for row in rows]
        more = {"rounding_mode": RoundingMode.NEAREST_EVEN, "flush_to_zero": True}
        yield from faults(op, rows, ("f32",) * arity, "f32", want, **more)


def _extreme(op: str, name: str, propagate: bool) -> None:
    @check(op, name, "NaN wins" if propagate else "NaN loses")
    def run() -> Iterable[str]:
        rows = tuples(floats(name, 5), 2)
        want = [larger(*row, propagate=propagate, sign=1 if op == "maxf" else -1) for row in rows]
        yield from faults(op, rows, (name, name), name, want, propagate_nan=propagate, flush_to_zero=False)


def larger(a: float, b: float, *, propagate: bool, sign: int) -> float:
    """The maximum (sign 1) or minimum (-1) of two floats."""
    if math.isnan(a) or math.isnan(b):
        return math.nan if propagate or (math.isnan(a) and math.isnan(b)) else (b if math.isnan(a) else a)
    return max(a, b, key=lambda x: (sign * x, sign * math.copysign(1, x)))


def _compare_floats(name: str, ordering: str) -> None:
    @check("cmpf", name, ordering.lower())
    def run() -> Iterable[str]:
        rows = tuples(floats(name), 2)
        for predicate, holds in PREDICATES.items():
            want = [-int(ordering == "UNORDERED" if math.isnan(a) or math.isnan(b) else holds(a, b)) for a, b in rows]
            more = {
                "comparison_predicate": ComparisonPredicate[predicate],
                "comparison_ordering": ComparisonOrdering[ordering],
            }
            yield from faults("cmpf", rows, (name, name), "i1", want, **more)


def _compare_ints(name: str, signedness: str) -> None:
    @check("cmpi", name, signedness.lower())
    def run() -> Iterable[str]:
        rows = tuples(ints(name, 5), 2)
        for predicate, holds in PREDICATES.items():
            want = [-int(holds(*(read(x, name, signedness) for x in row))) for row in rows]
            more = {"comparison_predicate": ComparisonPredicate[predicate], "signedness": Signedness[signedness]}
            yield from faults("cmpi", rows, (name, name), "i1", want, **more)


def read(value: int, name: str, signedness: str) -> int:
    """An integer read as the operation says."""
    return (exact.signed if signedness == "Signed" else exact.unsigned)(value, WIDTHS[name])


SINGLE: dict[str, Callable[[float], float]] = {
    "absf": abs,
    "negf": lambda x: -x,
    "floor": lambda x: x if not math.isfinite(x) or x == 0 else math.copysign(float(math.floor(x)), x),
    "ceil": lambda x: x if not math.isfinite(x) or x == 0 else math.copysign(float(math.ceil(x)), x),
}


def _single(op: str, name: str) -> None:
    @check(op, name, "exact")
    def run() -> Iterable[str]:
        rows = padded([(value,) for value in floats(name, 20)])
        yield from faults(op, rows, (name,), name, [SINGLE[op](value) for (value,) in rows])


HIGHER: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x), "atan2": np.arctan2,
    "fpowf": np.power, "remf": np.fmod,
}  # fmt: skip
ARITY = {"atan2": 2, "fpowf": 2, "remf": 2}


def _function(op: str, name: str) -> None:
    arity = ARITY.get(op, 1)

    @check(op, name, "to the last bit" if name != "f64" else "within two units")
    def run() -> Iterable[str]:
        near = [x for x in floats(name, 30) if not math.isfinite(x) or abs(x) < 1e4]
        rows = tuples(near, arity, 512) if arity > 1 else padded([(x,) for x in near])
        attributes = {"exp": {"rounding_mode": RoundingMode.FULL}, "tanh": {"rounding_mode": RoundingMode.FULL}}
        flags = {"exp2": {"flush_to_zero": False}, "rsqrt": {"flush_to_zero": False}}
        columns = list(zip(*rows, strict=True))
        operands = [(stored(column, name), f"{len(rows)}x{name}") for column in columns]
        got = plain(run_op(op, operands, f"{len(rows)}x{name}", **attributes.get(op, {}), **flags.get(op, {})), name)
        with np.errstate(all="ignore"):
            high = HIGHER[op](*(np.asarray(column, np.longdouble) for column in columns))
        yield from _close(got, list(high), name, columns)


def _close(got: list[float], high: list[Any], name: str, columns: list[Any]) -> Iterable[str]:
    """Faults against results in extended precision."""
    for i, (a, b) in enumerate(zip(got, high, strict=True)):
        if not np.isfinite(b):
            want = float(b)
        else:
            want = math.copysign(exact.rounded(Fraction(*b.as_integer_ratio()), name), float(np.copysign(1, b)))
        slack = 2 * math.ulp(want) if name == "f64" and math.isfinite(want) else 0.0
        if not (exact.same(a, want) or abs(a - want) <= slack):
            yield f"{[column[i] for column in columns]} gives {a}, not {want}"


def _powers(name: str) -> None:
    @check("fpowi", name, "small exponents")
    def run() -> Iterable[str]:
        rows = padded([(x, n) for x in (1.0, -1.0, 2.0, -2.0, 0.5, 1.5, 3.0) for n in (-3, -1, 0, 1, 2, 5)])
        want = [exact.rounded(Fraction(x) ** n, name) for x, n in rows]
        yield from faults("fpowi", rows, (name, "i32"), name, want)


WRAPPING: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
}  # fmt: skip


def _wrapping(op: str, name: str, flag: str) -> None:
    @check(op, name, f"overflow {flag.lower()}" if flag else "bits")
    def run() -> Iterable[str]:
        rows = tuples(ints(name, 10), 2)
        want = [promised(WRAPPING[op], a, b, name, flag) for a, b in rows]
        more = {"overflow": IntegerOverflow[flag]} if flag else {}
        yield from faults(op, rows, (name, name), name, want, **more)


def promised(function: Callable[[int, int], int], a: int, b: int, name: str, flag: str) -> int | None:
    """The wrapped result, or `None` where the promise that nothing wraps is broken."""
    bits = WIDTHS[name]
    for reading, flags in ((exact.signed, ("NSW", "NW")), (exact.unsigned, ("NUW", "NW"))):
        exactly = function(reading(a, bits), reading(b, bits))
        if flag in flags and reading(exactly, bits) != exactly:
            return None
    return exact.signed(function(a, b), bits)


def _divide(op: str, name: str, signedness: str, rounding: str) -> None:
    @check(op, name, f"{signedness.lower()} {rounding.lower()}".strip())
    def run() -> Iterable[str]:
        rows = tuples(ints(name, 10), 2)
        want = [quotient(op, a, b, name, signedness, rounding) for a, b in rows]
        more = {"rounding": RoundingMode[rounding]} if rounding else {}
        yield from faults(op, rows, (name, name), name, want, signedness=Signedness[signedness], **more)


def quotient(op: str, a: int, b: int, name: str, signedness: str, rounding: str) -> int | None:
    """A quotient or remainder; nothing for a zero divisor, and no quotient that overflows."""
    bits = WIDTHS[name]
    a, b = read(a, name, signedness), read(b, name, signedness)
    if b == 0:
        return None
    if op == "remi":
        return exact.signed(int(math.copysign(1, a)) * (abs(a) % abs(b)), bits)
    exactly = Fraction(a, b)
    if signedness == "Signed" and exactly >= 1 << (bits - 1):
        return None
    towards = {"ZERO": math.trunc, "NEGATIVE_INF": math.floor, "POSITIVE_INF": math.ceil}
    return exact.signed(towards[rounding](exactly), bits)


def _shift(op: str, name: str, signedness: str) -> None:
    @check(op, name, signedness.lower() or "left")
    def run() -> Iterable[str]:
        rows = tuples(ints(name, 10), 2)
        bits = WIDTHS[name]
        want: list[Any] = []
        for a, b in rows:
            count = exact.unsigned(b, bits)
            value = a << min(count, bits) if op == "shli" else read(a, name, signedness) >> min(count, bits)
            want.append(exact.signed(value, bits) if count < bits else None)
        more = {"overflow": IntegerOverflow.NONE} if op == "shli" else {"signedness": Signedness[signedness]}
        yield from faults(op, rows, (name, name), name, want, **more)


def _pair(op: str, name: str, label: str, function: Callable[[int, int], int], **more: Any) -> None:
    @check(op, name, label)
    def run() -> Iterable[str]:
        rows = tuples(ints(name, 10), 2)
        want = [exact.signed(function(*row), WIDTHS[name]) for row in rows]
        yield from faults(op, rows, (name, name), name, want, **more)


def _one_int(op: str, name: str) -> None:
    @check(op, name, "bits")
    def run() -> Iterable[str]:
        rows = padded([(value,) for value in ints(name, 10)])
        want = [exact.signed(abs(a) if op == "absi" else -a, WIDTHS[name]) for (a,) in rows]
        more = {} if op == "absi" else {"overflow": IntegerOverflow.NONE}
        yield from faults(op, rows, (name,), name, want, **more)


def _register_floats() -> None:
    for name in FLOATS:
        for op in ARITHMETIC:
            for mode in IEEE:
                _arithmetic(op, name, mode)
        for op in ("maxf", "minf"):
            _extreme(op, name, True)
            _extreme(op, name, False)
        for ordering in ("ORDERED", "UNORDERED"):
            _compare_floats(name, ordering)
        for op in SINGLE:
            _single(op, name)
        for op in HIGHER:
            _function(op, name)
        _powers(name)
    for op in ARITHMETIC:
        _flushing(op)


def _register_ints() -> None:
    for name in INTS:
        bits = WIDTHS[name]
        for op in ("addi", "subi", "muli"):
            for flag in ("NONE", "NSW", "NUW", "NW"):
                _wrapping(op, name, flag)
        for signedness in ("Signed", "Unsigned"):
            _compare_ints(name, signedness)
            _shift("shri", name, signedness)
            _divide("remi", name, signedness, "")
            for rounding in ("ZERO", "POSITIVE_INF", *(["NEGATIVE_INF"] if signedness == "Signed" else [])):
                _divide("divi", name, signedness, rounding)
            for op, pick in (("maxi", max), ("mini", min)):
                by = lambda a, b, pick=pick, s=signedness, n=name: pick(a, b, key=lambda x: read(x, n, s))  # noqa: E731
                _pair(op, name, signedness.lower(), by, signedness=Signedness[signedness])
        _shift("shli", name, "")
        _pair("mulhii", name, "upper half", lambda a, b, w=bits: exact.unsigned(a, w) * exact.unsigned(b, w) >> w)
        _one_int("absi", name)
        _one_int("negi", name)
    for name in ("i1", *INTS):
        for op in ("andi", "ori", "xori"):
            _wrapping(op, name, "")


_register_floats()
_register_ints()
