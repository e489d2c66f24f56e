"""Kernels whose answers a device has given: each runs many operations on one set of numbers.

`answers/<name>.npz` holds what an H200 (sm_90, tileiras 13.5.37) left in the output arrays; `record_answers.py` makes
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from builder import Builder
from harness import STORAGE
from memory_checks import pointers
from numbers_of import floats, ints

from ferrotile import ir
from ferrotile.ir.enums import (
    ComparisonOrdering,
    ComparisonPredicate,
    RoundingMode,
    Signedness,
)

COUNT = 256
IEEE = ("NEAREST_EVEN", "ZERO", "NEGATIVE_INF", "POSITIVE_INF")
BITS = {8: "i8", 16: "i16", 32: "i32", 64: "i64"}


@dataclass
class Probe:
    """A kernel under construction: input arrays, and the operations whose results it stores."""

    inputs: list[Any]
    words: list[str]
    builder: Builder = field(default_factory=Builder)
    titles: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    units: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._bases: list[Any] = []
        self._steps: list[Callable[[list[Any]], Any]] = []

    def add(self, title: str, kind: str, make: Callable[..., Any], units: int = 0) -> None:
        """An operation on the inputs; `units` is how far a device may be off, in units of the last place."""
        self.titles.append(title)
        self.kinds.append(kind)
        self.units.append(units)
        self._steps.append(lambda values: make(*values))

    def module(self) -> ir.Module:
        """The finished kernel: one pointer for each input, then one for each result."""
        k = self.builder
        words = [*self.words, *self.kinds]
        parameters = k.parameters(*(f"ptr<{word}>" for word in words))
        count = len(self.words)
        values = [
            k.load_pointers(pointers(k, base, COUNT, word))[0]
            for base, word in zip(parameters[:count], self.words, strict=True)
        ]
        for base, step, kind in zip(parameters[count:], self._steps, self.kinds, strict=True):
            k.store_pointers(pointers(k, base, COUNT, kind), step(values))
        return k.module()

    def arrays(self) -> list[Any]:
        """Inputs, and empty outputs."""
        return [*self.inputs, *(np.zeros(COUNT, STORAGE[kind]) for kind in self.kinds)]


def numbers(name: str, seed: int) -> Any:
    """As many numbers of a type as a tile holds, in some order."""
    values: list[Any] = list(floats(name, 60) if name.startswith(("f", "b")) else ints(name, 30))
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(values), COUNT)
    with np.errstate(all="ignore"):
        return np.asarray([values[i] for i in picks]).astype(STORAGE[name])


def arithmetic(name: str) -> Probe:
    """Sums, products, quotients, roots, comparisons of one float type."""
    probe = Probe([numbers(name, seed) for seed in (1, 2, 3)], [name] * 3)
    k = probe.builder
    for mode in IEEE:
        more = {"rounding_mode": RoundingMode[mode]}
        for op in ("addf", "subf", "mulf"):
            probe.add(f"{op} {mode}", name, lambda a, b, c, op=op, m=more: getattr(k, op)(a, b, **m))
        probe.add(f"fma {mode}", name, lambda a, b, c, m=more: k.fma(a, b, c, **m))
        if name in ("f32", "f64"):
            probe.add(f"divf {mode}", name, lambda a, b, c, m=more: k.divf(a, b, **m))
            probe.add(f"sqrt {mode}", name, lambda a, b, c, m=more: k.sqrt(a, **m))
    if name == "f32":
        for op in ("addf", "mulf", "divf"):
            probe.add(f"{op} ftz", name, lambda a, b, c, op=op: getattr(k, op)(a, b, flush_to_zero=True))
    for propagate in (False, True):
        for op in ("maxf", "minf"):
            make = lambda a, b, c, op=op, p=propagate: getattr(k, op)(a, b, propagate_nan=p)  # noqa: E731
            probe.add(f"{op} {propagate}", name, make)
    for op in ("absf", "negf", "floor", "ceil"):
        probe.add(op, name, lambda a, b, c, op=op: getattr(k, op)(a))
    _comparisons(probe)
    return probe


def _comparisons(probe: Probe) -> None:
    k, many = probe.builder, f"{COUNT}x"
    for ordering in ComparisonOrdering:
        for predicate in ComparisonPredicate:
            more = {"comparison_predicate": predicate, "comparison_ordering": ordering}
            make = lambda a, b, c, m=more: k.exti(  # noqa: E731
                k.cmpf(a, b, to=f"{many}i1", **m), to=f"{many}i8", signedness=Signedness.Unsigned
            )
            probe.add(f"cmpf {predicate.name} {ordering.name}", "i8", make)


def functions(name: str) -> Probe:
    """Functions that a device approximates."""
    with np.errstate(all="ignore"):
        x = (np.random.default_rng(4).standard_normal(COUNT) * 4).astype(STORAGE[name])
    probe = Probe([x, np.abs(x)], [name] * 2)
    k = probe.builder
    for op in ("exp", "exp2", "sin", "cos", "tanh", "sinh", "cosh", "tan"):
        full = {"rounding_mode": RoundingMode.FULL} if op in ("exp", "tanh") else {}
        probe.add(op, name, lambda a, b, op=op, m=full: getattr(k, op)(a, **m), 2)
    for op in ("log", "log2", "rsqrt"):
        probe.add(op, name, lambda a, b, op=op: getattr(k, op)(b), 2)
    return probe


def integers(name: str) -> Probe:
    """Integer operations where the specification defines a result."""
    a, b = numbers(name, 1), numbers(name, 2)
    divisor = np.where((b == 0) | (b == -1), 3, b).astype(b.dtype)
    count = (b & (8 * b.itemsize - 1)).astype(b.dtype)
    probe = Probe([a, b, divisor, count], [name] * 4)
    k = probe.builder
    for op in ("addi", "subi", "muli", "andi", "ori", "xori", "mulhii"):
        probe.add(op, name, lambda a, b, d, n, op=op: getattr(k, op)(a, b))
    for op in ("absi", "negi"):
        probe.add(op, name, lambda a, b, d, n, op=op: getattr(k, op)(a))
    probe.add("shli", name, lambda a, b, d, n: k.shli(a, n))
    for sign in Signedness:
        more = {"signedness": sign}
        for op in ("maxi", "mini"):
            probe.add(f"{op} {sign.name}", name, lambda a, b, d, n, op=op, m=more: getattr(k, op)(a, b, **m))
        probe.add(f"shri {sign.name}", name, lambda a, b, d, n, m=more: k.shri(a, n, **m))
        probe.add(f"remi {sign.name}", name, lambda a, b, d, n, m=more: k.remi(a, d, **m))
        for mode in ("ZERO", "POSITIVE_INF", "NEGATIVE_INF"):
            if mode == "NEGATIVE_INF" and sign is Signedness.Unsigned:
                continue
            make = lambda a, b, d, n, m=more, r=RoundingMode[mode]: k.divi(a, d, rounding=r, **m)  # noqa: E731
            probe.add(f"divi {sign.name} {mode}", name, make)
        for target in ("f32", "f64", "f16"):
            make = lambda a, b, d, n, m=more, t=target: k.itof(a, to=f"{COUNT}x{t}", **m)  # noqa: E731
            probe.add(f"itof {sign.name} {target}", target, make)
    return probe


def conversions(name: str) -> Probe:
    """From one float type to the others, and to integers with saturation."""
    probe = Probe([numbers(name, 5)], [name])
    k = probe.builder
    for target in ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"):
        if target == name:
            continue
        probe.add(f"ftof {target}", target, lambda a, t=target: k.ftof(a, to=f"{COUNT}x{t}"))
    mode = RoundingMode.NEAREST_INT_TO_ZERO
    for target in ("i8", "i16", "i32", "i64"):
        for sign in Signedness:
            make = lambda a, t=target, s=sign: k.ftoi(  # noqa: E731
                a, to=f"{COUNT}x{t}", signedness=s, rounding_mode=mode, saturating=True
            )
            probe.add(f"ftoi {sign.name} {target} saturating", target, make)
    return probe


PROBES: dict[str, Callable[[], Probe]] = {
    **{f"arithmetic-{name}": lambda name=name: arithmetic(name) for name in ("f32", "f64", "f16", "bf16")},
    **{f"functions-{name}": lambda name=name: functions(name) for name in ("f32", "f16")},
    **{f"integers-{name}": lambda name=name: integers(name) for name in ("i32", "i64", "i16", "i8")},
    **{f"conversions-{name}": lambda name=name: conversions(name) for name in ("f32", "f64", "f16", "bf16")},
}
