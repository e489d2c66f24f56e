"""Interesting numbers of each type: small, powers of two, at every edge of the format, and some at random."""

from __future__ import annotations

import itertools
import math
from typing import Any

import exact
import numpy as np
from harness import WIDTHS

SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan)


def floats(name: str, count: int = 0, seed: int = 0) -> list[float]:
    """Numbers of a float type; with `count` so many more at random."""
    kind = exact.KINDS[name]
    unit = 2.0 ** (1 - kind.precision)
    smallest = 2.0**kind.smallest
    largest = float(kind.largest)
    sizes = [1.0, 1.0 + unit, 2.0 - unit, 2.0, 3.0, 0.5, 1.5, 6.0, largest, largest * (1 - unit / 2), smallest]
    sizes += [smallest * (1 - unit), smallest * unit, smallest * unit * 3, 2.0 ** (kind.precision - 1), largest / 2]
    rng = np.random.default_rng([seed, *map(ord, name)])
    spread = min(kind.precision + 3, 30)
    for _ in range(count):
        sizes.append(float(rng.random() + 0.5) * 2.0 ** int(rng.integers(-spread, spread)))
    found = [exact.rounded(exact.Fraction(size), name) for size in sizes]
    found = [value for value in found if value or kind.precision > 1]
    found += [-value for value in found] if kind.signed else []
    found += [value for value in SPECIAL if _has(value, kind)]
    # A set takes -0 and 0 for one number.
    zeros = [-0.0, 0.0] if kind.signed else []
    return [value for value in dict.fromkeys(found) if not math.isinf(value) or kind.infinity] + zeros


def _has(value: float, kind: exact.Kind) -> bool:
    if math.isnan(value):
        return kind.nan
    if math.isinf(value):
        return kind.infinity and (kind.signed or value > 0)
    return kind.precision > 1 and (kind.signed or math.copysign(1, value) > 0)


def ints(name: str, count: int = 0, seed: int = 0) -> list[int]:
    """Bits of an integer type, read as signed."""
    bits = WIDTHS[name]
    edges = [0, 1, 2, 3, 5, 7, -1, -2, -3, -7, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1]
    edges += [1 << (bits // 2), (1 << (bits // 2)) - 1, -(1 << (bits // 2)), bits - 1, bits, bits + 1]
    rng = np.random.default_rng([seed, *map(ord, name)])
    edges += [int.from_bytes(rng.bytes(8), "little") for _ in range(count)]
    return list(dict.fromkeys(exact.signed(value, bits) for value in edges))


def padded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows repeated until their number is a power of two, as tiles need; at least 16."""
    count = max(16, 1 << (len(rows) - 1).bit_length())
    return [rows[i % len(rows)] for i in range(count)]


def tuples(values: list[Any], width: int, limit: int = 1024, seed: int = 0) -> list[tuple[Any, ...]]:
    """All tuples of values, or so many of them at random."""
    if len(values) ** width <= limit:
        return padded(list(itertools.product(values, repeat=width)))
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(values), (limit, width))
    return [tuple(values[i] for i in pick) for pick in picks.tolist()]
