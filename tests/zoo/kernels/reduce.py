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
