"""Integer operations on two numbers, what NumPy makes of them, and kernels that store one or the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from builder import Builder
from values import ELEMENTS

from ferrotile import ir
from ferrotile.ir.enums import RoundingMode, Signedness

Compute = Callable[[Any, Any], Any]
PLAIN: dict[str, Compute] = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
}  # fmt: skip
EXTREMES: dict[str, Compute] = {"maxi": np.maximum, "mini": np.minimum}
QUOTIENTS: tuple[tuple[str, dict[str, Any], Compute], ...] = (
    ("divi", {"rounding": RoundingMode.NEGATIVE_INF}, np.floor_divide),
    ("divi", {"rounding": RoundingMode.POSITIVE_INF}, lambda a, b: a // b + (a % b != 0).astype(a.dtype)),
    ("divi", {"rounding": RoundingMode.ZERO}, lambda a, b: (a - np.fmod(a, b)) // b),
    ("remi", {}, np.fmod),
)


def results(element: str, first: int, second: int) -> Iterator[tuple[str, dict[str, Any], int, int, int]]:
    """Operation, attributes, both operands wrapped to the type, and the result; quotients where they are defined."""
    kind = np.dtype(ELEMENTS[element])
    bits = np.iinfo(kind).bits
    a, b = (np.array([(n + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))]).astype(kind) for n in (first, second))
    is_defined = b[0] != 0 and not (a[0] == np.iinfo(kind).min and b[0] == -1)
    read = {Signedness.Signed: kind, Signedness.Unsigned: np.dtype(f"u{kind.name}")}
    cases = [(name, {}, compute, kind) for name, compute in PLAIN.items()]
    for signedness, seen in read.items():
        cases += [(name, {"signedness": signedness}, compute, seen) for name, compute in EXTREMES.items()]
        if is_defined:
            cases += [(name, {"signedness": signedness, **how}, compute, seen) for name, how, compute in QUOTIENTS]
    for name, how, compute, seen in cases:
        yield name, how, int(a[0]), int(b[0]), int(compute(a.view(seen), b.view(seen)).view(kind)[0])


def stored(name: str | None, element: str, numbers: tuple[int, ...], how: dict[str, Any]) -> ir.Module:
    """A kernel that stores what an operation makes of constants, or without one the constant itself."""
    k = Builder()
    (target,) = k.parameters(f"ptr<{element}>")
    constants = [k.constant(f"1x{element}", number) for number in numbers]
    value = constants[0] if name is None else getattr(k, name)(*constants, **how)
    k.store(value, k.partition(k.array(target, [k.constant("i32", 1)], [1]), [1]), [k.constant("i32", 0)])
    return k.module()
