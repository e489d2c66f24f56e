"""For each rebuilt bug a launch that shows it: arguments, grid, and the float64 formula with its derived bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from bounded import Bounded, dot

from ferrotile.interp import Buffer, output

BF16 = ml_dtypes.bfloat16
ROOM = 4096
"""Bytes of NaN behind an array whose reads may leave it: what a larger tensor would have there."""


@dataclass(frozen=True)
class Launch:
    """Arguments, grid, and what arrays must hold afterwards, by number."""

    arguments: list[Any]
    grid: tuple[int, ...]
    expected: dict[int, Bounded]


def numbers(*shape: int, dtype: Any = np.float32) -> Any:
    """The same random numbers each time."""
    return np.random.default_rng(list(shape)).standard_normal(shape).astype(dtype)


def out(*shape: int) -> Buffer:
    """A single-precision array that nothing has written."""
    return output(shape, np.float32)


def wide(values: Any) -> Bounded:
    """Numbers as they are."""
    return Bounded(np.asarray(values).astype(np.float64))


def at(item: Bounded, *index: Any) -> Bounded:
    """Part of an array, or the array with new axes."""
    return Bounded(item.value[index], item.error[index])


def mapped(item: Bounded, function: Callable[[Any], Any], slope: Any) -> Bounded:
    """A function applied; `slope` bounds its derivative."""
    return Bounded(function(item.value), slope * item.error).rounded()


def exp2(item: Bounded) -> Bounded:
    return Bounded(item.value * np.log(2), item.error * np.log(2)).exp()


def log(item: Bounded) -> Bounded:
    return mapped(item, np.log, 1.0 / (item.value - item.error))


def softmax_parts(scores: Bounded) -> tuple[Bounded, Bounded, Bounded]:
    """Weights, peak and total along the last axis."""
    peak = scores.max(-1)
    weights = (scores - peak).exp()
    return weights, peak, weights.sum(-1)


def _reduce_splits() -> Launch:
    heads, splits, columns = 3, 5, 64
    parts, lse = numbers(heads, splits, columns), numbers(heads, splits)
    weights = exp2(wide(lse) - wide(lse).max(1))
    joined = (wide(parts) * at(weights, ..., None)).sum(1) / at(weights.sum(1), ..., None)
    return Launch([parts, lse, out(heads, columns)], (heads,), {2: at(joined, slice(None), 0)})


def _gelu() -> Launch:
    x = wide(given := numbers(67))
    inner = (x + x * x * x * 0.044715) * 1.5957691216057308
    # Coefficients are rounded too.
    inner = inner.rounded(times=3)
    return Launch([given, out(67)], (2,), {1: x / ((-inner).exp() + 1.0)})


def _scale_by_weight() -> Launch:
    x, weight = numbers(3, 64, dtype=np.float16), numbers(64)
    return Launch([x, weight, out(3, 64)], (3,), {2: wide(x) * wide(weight)})


def _rms_norm() -> Launch:
    x = numbers(3, 48)
    x[1] = 0.0
    epsilon = float(np.float32(1e-6))
    mean = (wide(x) * wide(x)).sum(1) / 48.0
    return Launch([x, out(3, 48), epsilon], (3,), {1: wide(x) / (mean + epsilon).sqrt()})


def _double_rows() -> Launch:
    x = numbers(5, 64)
    return Launch([x, out(5, 64)], (4,), {1: wide(2.0 * x)})


def _double_tiles() -> Launch:
    x = numbers(2, 1000)
    return Launch([x, out(2, 1000)], (2,), {1: wide(2.0 * x)})


def _capped_log_sum_exp() -> Launch:
    # Far below zero, so that a padded lane, which the cap lifts to -30, weighs about as much as a true one.
    x, cap = numbers(2, 100) * 2 - 60, 30.0
    capped = mapped(wide(x) / cap, np.tanh, 1.0) * cap
    _, peak, total = softmax_parts(capped)
    return Launch([x, out(2), cap], (2,), {1: at(peak + log(total), slice(None), 0)})


def _sparsemax() -> Launch:
    x = -np.sort(-numbers(3, 16), axis=1)
    x[0, 0] = 10.0
    value, rank = x.astype(np.float64), np.arange(1, 17)
    size = (1 + rank * value > np.cumsum(value, axis=1)).sum(1, keepdims=True)
    kept = Bounded(np.where(rank <= size, value, 0.0)).sum(1)
    clipped = wide(x) - (kept - 1.0) / Bounded(size)
    return Launch([x, out(3, 16)], (3,), {1: Bounded(np.maximum(clipped.value, 0.0), clipped.error)})


def _matmul() -> Launch:
    a, b = numbers(130, 50, dtype=np.float16), numbers(50, 70, dtype=np.float16)
    return Launch([a, b, out(130, 70)], (3, 2), {2: dot(wide(a), wide(b), 64)})


def _tf32(values: Any) -> Bounded:
    """Rounded to 11 significant bits."""
    fraction, exponent = np.frexp(values.astype(np.float64))
    return Bounded(np.ldexp(np.rint(fraction * 2**11), exponent - 11))


def _single_matmul() -> Launch:
    a, b = numbers(80, 50), numbers(50, 64)
    return Launch([a, b, out(80, 64)], (2,), {2: dot(_tf32(a), _tf32(b), 64)})


def _transposed_matmul() -> Launch:
    a, b = numbers(64, 128, dtype=np.float16), numbers(128, 128, dtype=np.float16).T
    return Launch([a, b, out(64, 128)], (1, 2), {2: dot(wide(a), wide(b), 128)})


def _add_product() -> Launch:
    a, b = numbers(64, 32, dtype=np.float16), numbers(32, 32, dtype=np.float16)
    return Launch([a, b, out(64, 32), 0.5, 0.0], (2,), {2: dot(wide(a), wide(b), 32) * 0.5})


def _attended(q: Any, k: Any, v: Any, sinks: Any = None) -> Bounded:
    """Attention of one query a head; a sink adds to the total."""
    scores = at((wide(k) * wide(q[:, None])).sum(2), ..., 0)
    weights, peak, total = softmax_parts(scores)
    if sinks is not None:
        total = total + (wide(sinks[:, None]) - peak).exp()
    return at((wide(v) * at(weights, ..., None)).sum(1), slice(None), 0) / total


def _decode() -> Launch:
    q, k, v = numbers(2, 32), numbers(2, 33, 32), numbers(3, 33, 32)[:2]
    arguments = [q, *(Buffer(item, behind=ROOM) for item in (k, v)), out(2, 32)]
    return Launch(arguments, (2,), {3: _attended(q, k, v)})


def _prefill() -> Launch:
    q, k, v = numbers(2, 40, 16), numbers(2, 24, 16), numbers(3, 24, 16)[:2]
    scores = dot(wide(q), wide(k.transpose(0, 2, 1)), 16)
    weights, peak, total = softmax_parts(scores)
    expected = {3: dot(weights, wide(v), 32) / total, 4: at(peak + log(total), ..., 0)}
    return Launch([q, k, v, out(2, 40, 16), out(2, 40)], (2, 2), expected)


def _ragged_keys() -> Launch:
    q, k, v = numbers(2, 32), numbers(2, 40, 32), numbers(3, 40, 32)[:2]
    return Launch([q, k, v, out(2, 32)], (2,), {3: _attended(q, k, v)})


def _grouped_queries() -> Launch:
    q, k = numbers(15, 32), numbers(3, 32)
    return Launch([q, k, out(15, 32), 5], (3,), {2: wide(q) * wide(np.repeat(k, 5, axis=0))})


def _sink() -> Launch:
    q, k, v = np.zeros((2, 32), np.float32), numbers(2, 40, 32), np.ones((2, 40, 32), np.float32)
    # All logits 0 and all values 1: the output is 40 / (40 + exp(sink)), here 0.3013 and 0.9.
    sinks = np.log(40 * (1 / np.array([0.3013, 0.9]) - 1)).astype(np.float32)
    expected = _attended(q, k, v, sinks)
    assert np.allclose(expected.value, [[0.3013], [0.9]])
    return Launch([q, k, v, sinks, out(2, 32)], (2,), {4: expected})


def _gated_delta() -> Launch:
    heads, length, size, columns = 2, 4, 16, 96
    q, k = numbers(heads, length, size, dtype=BF16), numbers(heads, length, size + 1, dtype=BF16)[..., :size] / 4
    v, gates, beta = (
        numbers(heads, length, columns, dtype=BF16),
        -np.abs(numbers(heads, length)),
        numbers(length, heads).T,
    )
    results = []
    for head in range(heads):
        state = Bounded(np.zeros((size, columns)))
        for t in range(length):
            state = state * wide(gates[head, t]).exp()
            key = wide(k[head, t][:, None])
            change = wide(v[head, t][None, :]) - (state * key).sum(0)
            state = state + key * (wide(beta[head, t]) * change)
            results.append((state * wide(q[head, t][:, None])).sum(0))
    joined = [np.reshape([getattr(item, part) for item in results], v.shape) for part in ("value", "error")]
    arguments = [q, np.ascontiguousarray(k), v, gates, np.ascontiguousarray(beta), out(heads, length, columns)]
    return Launch(arguments, (heads,), {5: Bounded(*joined)})


def _decayed_sum() -> Launch:
    chunks, length, size = 2, 256, 16
    x = numbers(chunks, length, size)
    # Multiples of 1/8, so that sums of gates are exact.
    gates = -np.random.default_rng(1).integers(3, 6, (chunks, length)).astype(np.float32) / 8
    level = np.cumsum(gates.astype(np.float64), axis=1)
    earlier = np.tril(np.ones((length, length), np.bool_))
    decay = Bounded(np.where(earlier, level[:, :, None] - level[:, None, :], -np.inf)).exp()
    return Launch([x, gates, out(chunks, length, size)], (chunks,), {2: dot(decay, wide(x), length)})


def _scatter_rows() -> Launch:
    x, rows = numbers(2, 24), np.array([1, 0], np.int32)
    return Launch([x, rows, out(2, 24)], (2,), {2: wide(x[::-1])})


def _rope_in_place() -> Launch:
    x, angles = numbers(5, 48), numbers(5, 16)
    cosines, sines = np.cos(angles), np.sin(angles)
    first, second, rest = wide(x[:, :16]), wide(x[:, 16:32]), wide(x[:, 32:])
    parts = [first * cosines - second * sines, second * cosines + first * sines, rest]
    joined = [np.concatenate([getattr(item, part) for item in parts], axis=1) for part in ("value", "error")]
    return Launch([x, cosines, sines], (2,), {0: Bounded(*joined)})


def _far_elements() -> Launch:
    columns = 2**15
    row = numbers(columns)
    # All rows are one row of memory: the array is far larger than what it takes.
    x = np.lib.stride_tricks.as_strided(row, (2**16 + 1, columns), (0, 4))
    return Launch([x, out(2048), 2**21 - 1], (2,), {1: wide(np.concatenate((row[-1024:], row[:1024])))})


def _permute_heads() -> Launch:
    x = numbers(4, 3, 2, 64)
    expected = x.transpose(1, 0, 2, 3).reshape(24, 64)
    return Launch([x, out(24, 64), 4, 2], (4, 3, 2), {1: wide(expected)})


LAUNCHES: dict[str, Callable[[], Launch]] = {
    "add_product": _add_product,
    "capped_log_sum_exp": _capped_log_sum_exp,
    "decayed_sum": _decayed_sum,
    "decode": _decode,
    "double_rows": _double_rows,
    "double_tiles": _double_tiles,
    "far_elements": _far_elements,
    "gated_delta": _gated_delta,
    "gelu": _gelu,
    "grouped_queries": _grouped_queries,
    "matmul": _matmul,
    "permute_heads": _permute_heads,
    "prefill": _prefill,
    "ragged_keys": _ragged_keys,
    "reduce_splits": _reduce_splits,
    "rms_norm": _rms_norm,
    "rope_in_place": _rope_in_place,
    "scale_by_weight": _scale_by_weight,
    "scatter_rows": _scatter_rows,
    "single_matmul": _single_matmul,
    "sink": _sink,
    "sparsemax": _sparsemax,
    "transposed_matmul": _transposed_matmul,
}
"""By kernel."""
