"""Kernels whose specializations differ in constants, element types, branches and ranks."""

import math

import cuda.tile as ct


@ct.kernel
def scaled(x, bias, y, BLOCK: ct.Constant[int], HAS_BIAS: ct.Constant[bool]):
    """Twice `x` and the bias, if there is one."""
    block = ct.bid(0)
    offsets = block * BLOCK + ct.arange(BLOCK, dtype=ct.int32)
    # A gather gives 0 outside of the array.
    values = ct.gather(x, offsets).astype(ct.float32) * 2.0
    if HAS_BIAS:
        values = values + ct.gather(bias, offsets).astype(ct.float32)
    ct.scatter(y, offsets, values.astype(y.dtype))


@ct.kernel
def row_sums(x, y, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int], TILE: ct.Constant[int]):
    """Sums of rows, tile by tile: how many there are follows from two constants."""
    row = ct.bid(0)
    total = ct.zeros((ROWS, 1), dtype=ct.float32)
    for j in range(COLUMNS // TILE):
        tile = ct.load(x, index=(row, j), shape=(ROWS, TILE))
        total = total + ct.sum(tile.astype(ct.float32), axis=1, keepdims=True)
    ct.store(y, index=(row, 0), tile=total)


@ct.kernel
def copied(x, y, SIZE: ct.Constant[int], RANK: ct.Constant[int]):
    """Copy a tile of an array of one or two axes."""
    block = ct.bid(0)
    if RANK == 1:
        ct.store(y, index=(block,), tile=ct.load(x, index=(block,), shape=(SIZE,)))
    else:
        ct.store(y, index=(block, 0), tile=ct.load(x, index=(block, 0), shape=(SIZE, SIZE)))


@ct.kernel
def thinned(x, y, TILE: ct.Constant[int], SHARE: ct.Constant[float], EPS: ct.Constant[float]):
    """`x` where it is large, a share of it elsewhere, over its largest value."""
    row = ct.bid(0)
    columns = ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, (row, columns), padding_value=-math.inf)
    values = ct.where(values > SHARE, values, values * SHARE)
    peak = ct.max(values.astype(ct.float32), axis=0)
    ct.scatter(y, (row, columns), (values.astype(ct.float32) / (peak + EPS)).astype(y.dtype))


@ct.kernel
def picked(x, y, ALONG: ct.Constant[bool], N: ct.Constant[int]):
    """Twice a row, or twice the piece of a row: branches of which one is for one length only."""
    block = ct.bid(0)
    if ALONG:  # noqa: SIM108
        a = ct.load(x, index=(0, block), shape=(1, N))
    else:
        a = ct.load(x, index=(block, 0), shape=(1, N))
    ct.store(y, index=(block, 0), tile=a + a)
