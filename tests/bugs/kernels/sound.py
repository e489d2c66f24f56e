"""Kernels of public reports in which the kernel is right, and a compiler or an interpreter was wrong."""

import cuda.tile as ct


@ct.kernel
def row_products(a, x, y, SIZE: ct.Constant[int]):
    """Write row `bid(0)` of `a` times `x` to `y`."""
    row = ct.load(a, index=(ct.bid(0), 0), shape=(1, SIZE))
    ct.store(y, index=(ct.bid(0),), tile=ct.sum(row * ct.load(x, index=(0,), shape=(SIZE,)), axis=1))


@ct.kernel
def half_matmul(a, b, c, TILE: ct.Constant[int]):
    """Write `a @ b` of one tile to `c`."""
    left, right = (ct.load(a, index=(0, 0), shape=(TILE, TILE)), ct.load(b, index=(0, 0), shape=(TILE, TILE)))
    ct.store(c, index=(0, 0), tile=ct.mma(left, right, ct.zeros((TILE, TILE), dtype=ct.float32)))


@ct.kernel
def max_pool(x, y, flag, WINDOW: ct.Constant[int], TILE: ct.Constant[int], BRANCH: ct.Constant[bool]):
    """Write the largest of `WINDOW` neighbours to `y`; `flag` is never set, so that `BRANCH` changes nothing."""
    value = ct.load(x, index=(ct.bid(0), 0), shape=(TILE, WINDOW))
    peak = ct.max(value, axis=1)
    if BRANCH and flag != 0:
        peak = peak + ct.sum(value, axis=1)
    ct.store(y, index=(ct.bid(0),), tile=peak)
