"""Reductions and scans: every combiner, axis, and form."""

import cuda.tile as ct


@ct.kernel
def every_combiner(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    r = ct.sum(a, axis=1) + ct.max(a, axis=1) + ct.min(a, axis=1) + ct.prod(a, axis=1)
    ct.store(y, (i,), r)


@ct.kernel
def first_axis(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    j = ct.bid(0)
    a = ct.load(x, (0, j), (M, N))
    ct.store(y, (j,), ct.sum(a, axis=0) - ct.max(a, axis=0))


@ct.kernel
def whole(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.sum(a).reshape((1,)))


@ct.kernel
def keepdims(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i, 0), a - ct.max(a, axis=(0, 1), keepdims=True))


@ct.kernel
def positions(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.argmax(a, axis=1) - ct.argmin(a, axis=1))


@ct.kernel
def count(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.sum(a > 0, axis=1))


def _larger(a, b):
    return ct.maximum(a, b)


@ct.kernel
def own_combiner(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.reduce(a, 1, _larger, 0.0))


@ct.kernel
def scans(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i, 0), ct.cumsum(a, axis=1) + ct.cumsum(a, axis=1, reverse=True) + ct.cumsum(a, axis=0))


@ct.kernel
def vector_scan(x, y, N: ct.Constant[int]):
    a = ct.load(x, (0,), (N,))
    ct.store(y, (0,), ct.cumsum(a, axis=0))


@ct.kernel
def products(x, y, N: ct.Constant[int]):
    a = ct.load(x, (0,), (N,))
    ct.store(y, (0,), ct.cumprod(a, axis=0))


@ct.kernel
def first_nan(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.argmax(a, axis=1, propagate_nan=True))


@ct.kernel
def position_in_all(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.argmin(a).reshape((1,)))


@ct.kernel
def peak_and_position(x, y, z, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.maximum(ct.max(a, axis=1), ct.min(a, axis=1)) + min(i, 3))
    ct.store(z, (i,), ct.argmax(a, axis=1))


@ct.kernel
def modified(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    b = ct.max(a, axis=1, propagate_nan=True) + ct.sum(a, axis=1, flush_to_zero=True)
    ct.store(y, (i,), b)


@ct.kernel
def rounded_sum(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.sum(a, axis=1, rounding_mode=ct.RoundingMode.RZ))


def _weighted(a, b):
    return ct.maximum(a * 0.5 + 1.0, b)


@ct.kernel
def own_constants(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.reduce(a, 1, _weighted, 0.0) + ct.reduce(a, 1, _weighted, 0.0))


def _most_and_sum(most, total, other_most, other_total):
    return ct.maximum(most, other_most), total + other_total


@ct.kernel
def two_at_once(x, n, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a, k = ct.load(x, (i, 0), (M, N)), ct.load(n, (i, 0), (M, N))
    most, total = ct.reduce((a, k), 1, _most_and_sum, (0, 0))
    ct.store(y, (i,), most.astype(ct.float32) + total.astype(ct.float32))


@ct.kernel
def two_scans(x, n, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a, k = ct.load(x, (i, 0), (M, N)), ct.load(n, (i, 0), (M, N))
    most, total = ct.scan((a, k), 1, _most_and_sum, (0, 0))
    ct.store(y, (i, 0), most.astype(ct.float32) + total.astype(ct.float32))


@ct.kernel
def own_scan(x, y, N: ct.Constant[int]):
    a = ct.load(x, (0,), (N,))
    ct.store(y, (0,), ct.scan(a, 0, _weighted, 0.0) + ct.scan(a, 0, _larger, 0.0, reverse=True))


@ct.kernel
def running_products(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i, 0), ct.cumprod(a, axis=1, reverse=True) + ct.cumprod(a, axis=0))


@ct.kernel
def middle_axis(x, y, N: ct.Constant[int]):
    a = ct.load(x, (0, 0, 0), (2, 4, N))
    ct.store(y, (0, 0, 0), ct.cumsum(a, axis=1) + ct.cumsum(a, axis=2))


def _welford(mean, m2, n, mean_b, m2_b, n_b):
    delta = mean_b - mean
    total = n + n_b
    return mean + delta * n_b / total, m2 + m2_b + delta * delta * n * n_b / total, total


@ct.kernel
def variance(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    start = ct.zeros((M, N), ct.float32), ct.ones((M, N), ct.float32)
    _, m2, n = ct.reduce((a, start[0], start[1]), 1, _welford, (0.0, 0.0, 0.0))
    ct.store(y, (i,), m2 / n)


@ct.kernel
def three_ways(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    b = ct.reduce(a, 1, _weighted, 0.0) + ct.reduce(a, 1, _larger, 0.0) + ct.reduce(a, 1, _larger, 1.0)
    ct.store(y, (i,), b)


@ct.kernel
def scaled_on_the_way(x, y, scale, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (M, N))
    ct.store(y, (i,), ct.reduce(a, 1, lambda p, q: ct.maximum(p, q * scale), 0.0))
