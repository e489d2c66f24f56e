"""Inputs, grids and formulas for every example kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from bounded import SINGLE, Bounded, dot

from ferrotile import ir
from ferrotile.capture import export
from ferrotile.interp import Buffer, output

FOLDER = Path(__file__).parents[2] / "examples"
VARIANTS = ("random", "ragged", "one", "huge", "tiny", "equal", "exact")
BF16 = ml_dtypes.bfloat16


@dataclass
class Case:
    """One launch: arguments, grid, and what arrays must hold afterwards, by number, with the type's name."""

    arguments: list[Any]
    grid: tuple[int, ...]
    expected: dict[int, tuple[Bounded, str]]


@cache
def module(name: str, number: int = 0) -> ir.Module:
    """An example as a decoded module."""
    return ir.decode(export(FOLDER / f"{name}.py")[number].bytecode)


class Inputs:
    """Makes the arrays of a variant; each lies in memory that is NaN between its rows and behind its end."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        self.variant = variant
        self.rng = np.random.default_rng([seed, *map(ord, variant)])

    def size(self, usual: int, ragged: int, one: int = 1) -> int:
        """An extent."""
        return {"ragged": ragged, "one": one}.get(self.variant, usual)

    def numbers(self, *shape: int, dtype: Any = np.float32, huge: float = 1e4, tiny: float = 1e-6) -> Buffer:
        """An array of the variant's numbers."""
        values = self.rng.standard_normal(shape)
        match self.variant:
            case "huge":
                values = values * huge
            case "tiny":
                values = values * tiny
            case "equal":
                values = np.broadcast_to(values[..., :1], shape)
            case "exact":
                values = self.rng.integers(0, 2, shape).astype(np.float64)
        return surrounded(values.astype(dtype))


def surrounded(values: Any) -> Buffer:
    """An array whose rows are 16 elements apart, with NaN between them and behind."""
    if values.ndim == 1:
        return Buffer(values, behind=512)
    wide = np.full((*values.shape[:-1], values.shape[-1] + 16), np.nan).astype(values.dtype)
    part = wide[..., : values.shape[-1]]
    part[...] = values
    return Buffer(part, behind=512)


def wide(buffer: Buffer) -> Any:
    """The numbers of an array as f64."""
    return buffer.data.astype(np.float64)


def blocks(count: int, size: int) -> int:
    return -(-count // size)


def _vector_add(make: Inputs, number: int) -> Case:
    dtype, name, tile = ((np.float32, "f32", 1024), (np.float16, "f16", 512))[number]
    count = make.size(4096, 1033 if number else 1040, 1 if number else 16)
    a, b = make.numbers(count, dtype=dtype), make.numbers(count, dtype=dtype)
    total = Bounded(wide(a) + wide(b)).to(name)
    return Case([a, b, output(count, dtype)], (blocks(count, tile),), {2: (total, name)})


def _softmax(x: Any, scale: float = 0.0) -> Bounded:
    """Softmax of rows; `scale` counts the roundings of logits that are scaled first."""
    logits = Bounded(x, scale * SINGLE * np.abs(np.where(np.isfinite(x), x, 0.0)))
    weights = (logits - logits.max(1)).exp()
    return weights / weights.sum(1)


def _within_one(share: Bounded) -> Bounded:
    """A share lies between 0 and 1, whatever the bound says."""
    return Bounded(share.value, np.minimum(share.error, 1.0))


def _softmax_rows(make: Inputs, number: int) -> Case:
    dtype, name = ((np.float16, "f16"), (np.float32, "f32"))[number]
    rows, columns = make.size(5, 3), make.size(512, 333 if number else 336, 1 if number else 16)
    x = make.numbers(rows, columns, dtype=dtype)
    expected = _within_one(_softmax(wide(x)).to(name))
    return Case([x, output((rows, columns), dtype)], (3,), {1: (expected, name)})


def _softmax_online(make: Inputs, number: int) -> Case:
    dtype, name, chunk = ((np.float32, "f32", 2048), (BF16, "bf16", 1024))[number]
    rows, columns = make.size(3, 2), make.size(3 * chunk, 2 * chunk + 336, 16)
    x = make.numbers(rows, columns, dtype=dtype)
    span = float(np.ptp(wide(x)))
    # Logits are scaled by a rounded constant and rounded; rescaling adds the distance between peaks, chunk by chunk.
    share = _softmax(wide(x), scale=4.0)
    more = SINGLE * (span + 4 * blocks(columns, chunk) + 4)
    expected = _within_one(Bounded(share.value, share.error + more * share.value).rounded(times=3).to(name))
    return Case([x, output((rows, columns), dtype)], (rows,), {1: (expected, name)})


def _softmax_gather(make: Inputs, number: int) -> Case:
    rows, columns = make.size(4, 3), make.size(512, 208, 16)
    x = make.numbers(rows, columns)
    lengths = make.rng.integers(1, columns + 1, rows).astype(np.int32)
    outside = np.arange(columns)[None, :] >= lengths[:, None]
    expected = _within_one(_softmax(np.where(outside, -np.inf, wide(x))).to("f32"))
    return Case([x, lengths, output((rows, columns), np.float32)], (rows,), {2: (expected, "f32")})


def _rms_norm(make: Inputs, number: int) -> Case:
    rows, columns = make.size(3, 2), make.size(2048, 1360, 16)
    x = make.numbers(rows, columns, dtype=BF16, huge=1e12, tiny=1e-12)
    weight = make.numbers(columns, dtype=BF16)
    square = Bounded(wide(x)) * wide(x)
    mean = square.sum(1, roundings=math.log2(1024) + blocks(columns, 1024) + 3) / float(columns)
    scale = Bounded(1.0) / (mean + float(np.float32(1e-6))).sqrt()
    y = (Bounded(wide(x)) * scale * wide(weight)).to("bf16")
    return Case([x, weight, output((rows, columns), BF16), 1e-6], (rows,), {2: (y, "bf16")})


def _layer_norm(make: Inputs, number: int) -> Case:
    rows, columns = make.size(8, 7), make.size(512, 336, 16)
    x = make.numbers(rows, columns, dtype=np.float16)
    weight, bias = make.numbers(columns, dtype=np.float16), make.numbers(columns, dtype=np.float16)
    mean = Bounded(wide(x)).sum(1) / float(columns)
    centred = Bounded(wide(x)) - mean
    variance = (centred * centred).sum(1) / float(columns)
    rstd = Bounded(1.0) / (variance + float(np.float32(1e-5))).sqrt()
    y = (centred * rstd * wide(weight) + wide(bias)).to("f16")
    outputs = [output((rows, columns), np.float16), output(rows, np.float32), output(rows, np.float32)]
    expected = {3: (y, "f16"), 4: (_flat(mean), "f32"), 5: (_flat(rstd), "f32")}
    return Case([x, weight, bias, *outputs, 1e-5], (blocks(rows, 4),), expected)


def _flat(item: Bounded) -> Bounded:
    return Bounded(item.value[:, 0], item.error[:, 0])


def _matmul(make: Inputs, number: int) -> Case:
    m, n, k = make.size(256, 144, 16), make.size(128, 272, 16), make.size(128, 80, 16)
    a = make.numbers(m, k, dtype=np.float16, huge=100.0, tiny=1e-3)
    b = make.numbers(k, n, dtype=np.float16, huge=100.0, tiny=1e-3)
    c = dot(wide(a), wide(b), blocks(k, 64)).to("f16")
    return Case([a, b, output((m, n), np.float16)], (3,), {2: (c, "f16")})


def _batched_matmul(make: Inputs, number: int) -> Case:
    batch, m, n, k = make.size(2, 3), make.size(128, 80, 16), make.size(128, 144, 16), make.size(128, 80, 16)
    a = make.numbers(batch, m, k, dtype=BF16)
    b = make.numbers(batch, n, k, dtype=BF16)
    c = dot(wide(a), wide(b).transpose(0, 2, 1), blocks(k, 64)).to("bf16")
    grid = (batch, blocks(m, 64), blocks(n, 128))
    return Case([a, b, output((batch, m, n), BF16)], grid, {2: (c, "bf16")})


def _attention(make: Inputs, number: int) -> Case:
    batch, heads, length = 1, make.size(2, 1), make.size(256, 200, 1)
    q, k, v = (make.numbers(batch, heads, length, 64, dtype=np.float16, huge=30.0) for _ in range(3))
    expected = _attended(wide(q), wide(k), wide(v), 0.125, length)
    arguments = [q, k, v, output(q.data.shape, np.float16), 0.125]
    return Case(arguments, (blocks(length, 128), heads, batch), {3: (expected, "f16")})


def _attended(q: Any, k: Any, v: Any, scale: float, length: int) -> Bounded:
    """softmax(q k^T scale) v, with weights rounded to f16 before the product and rescaled from tile to tile."""
    tiles = blocks(length, 64)
    scores = dot(q, k.transpose(0, 1, 3, 2), 1)
    visible = np.tril(np.ones((length, length), np.bool_))
    logits = Bounded(np.where(visible, scores.value * scale, -np.inf), np.where(visible, scores.error * scale, 0.0))
    largest = np.abs(np.where(visible, logits.value, 0.0)).max(-1, keepdims=True)
    # Scaling to powers of two rounds scale, score and peak; each later tile rescales what was summed before.
    logits = Bounded(logits.value, logits.error + (6 + 3 * tiles) * SINGLE * largest)
    peak = logits.value.max(-1, keepdims=True)
    weights = Bounded(logits.value - peak, logits.error).exp()
    total = weights.sum(3, roundings=8 + 3 * tiles)
    halves = weights.to("f16")
    # A weight below the final peak was rounded to f16 relative to an earlier peak: never more than that of 1.
    part = dot(halves, v, 4 * tiles)
    return (part / total).to("f16")


def _rope(make: Inputs, number: int) -> Case:
    batch, heads, length = 1, make.size(2, 3), make.size(64, 40, 1)
    x = make.numbers(batch, heads, length, 128, dtype=BF16)
    angles = np.arange(length)[:, None] * 10_000.0 ** (-np.arange(64) / 64)
    cosines, sines = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    first, second = Bounded(wide(x)[..., :64]), Bounded(wide(x)[..., 64:])
    c, s = cosines.astype(np.float64), sines.astype(np.float64)
    halves = [first * c - second * s, second * c + first * s]
    joined = Bounded(*(np.concatenate([getattr(half, part) for half in halves], -1) for part in ("value", "error")))
    arguments = [x, cosines, sines, output(x.data.shape, BF16)]
    return Case(arguments, (blocks(length, 32), heads, batch), {3: (joined.to("bf16"), "bf16")})


def _swiglu(make: Inputs, number: int) -> Case:
    rows, hidden = make.size(3, 2), make.size(1536, 1056, 16)
    both = make.numbers(rows, 2 * hidden, dtype=np.float16, huge=20.0)
    gate, up = Bounded(wide(both)[:, :hidden]), Bounded(wide(both)[:, hidden:])
    y = (gate * (Bounded(1.0) / (Bounded(1.0) + (-gate).exp())) * up).to("f16")
    arguments = [both, output((rows, hidden), np.float16), hidden]
    return Case(arguments, (rows, blocks(hidden, 1024)), {1: (y, "f16")})


def _split_k_reduce(make: Inputs, number: int) -> Case:
    heads, splits, columns = make.size(4, 3), make.size(16, 11), make.size(256, 144, 16)
    parts = make.numbers(heads, splits, columns)
    lse = make.numbers(heads, splits)
    lse.data[0, 0] = -np.inf
    if splits > 1:
        lse.data[-1] = -np.inf
    sums = wide(lse)
    peak = sums.max(1, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    shifted = Bounded(sums - peak).rounded()
    weights = Bounded(shifted.value * math.log(2), shifted.error * math.log(2)).exp()
    total = weights.sum(1)
    joined = (Bounded(wide(parts)) * Bounded(weights.value[:, :, None], weights.error[:, :, None])).sum(1)
    empty = total.value == 0
    below = Bounded(np.where(empty, 1.0, total.value), np.where(empty, 0.0, total.error))
    y = (Bounded(joined.value[:, 0], joined.error[:, 0]) / below).to("f16")
    arguments = [parts, lse, output((heads, columns), np.float16)]
    return Case(arguments, (heads, blocks(columns, 128)), {2: (y, "f16")})


def _histogram(make: Inputs, number: int) -> Case:
    count, bins = make.size(4096, 1040, 16), 32
    values = make.numbers(count)
    low, per_unit = np.float32(-2.0), np.float32(bins / 4.0)
    # Each step is one f32 operation, so that NumPy's own f32 gives the same bins.
    number_of = np.floor((values.data - low) * per_unit)
    inside = number_of[(number_of >= 0) & (number_of < bins)].astype(np.int64)
    counts = Bounded(np.bincount(inside, minlength=bins))
    start = np.zeros(bins, np.int32)
    return Case([values, start, float(low), float(per_unit)], (blocks(count, 256),), {1: (counts, "f64")})


MAKERS: dict[str, tuple[Callable[[Inputs, int], Case], int]] = {
    "attention": (_attention, 1),
    "batched_matmul": (_batched_matmul, 1),
    "histogram": (_histogram, 1),
    "layer_norm": (_layer_norm, 1),
    "matmul": (_matmul, 1),
    "rms_norm": (_rms_norm, 1),
    "rope": (_rope, 1),
    "softmax_gather": (_softmax_gather, 1),
    "softmax_online": (_softmax_online, 2),
    "softmax_rows": (_softmax_rows, 2),
    "split_k_reduce": (_split_k_reduce, 1),
    "swiglu": (_swiglu, 1),
    "vector_add": (_vector_add, 2),
}
"""By example: what makes a case, and how many specializations there are."""

EVERY = [(name, number) for name, (_, count) in MAKERS.items() for number in range(count)]


def case(name: str, number: int, variant: str) -> Case:
    """The case of an example's specialization."""
    with np.errstate(all="ignore"):
        return MAKERS[name][0](Inputs(variant), number)


__all__ = ["EVERY", "VARIANTS", "case", "module"]
