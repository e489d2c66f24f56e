"""Kernels that take what those of examples/ do not: lists of arrays, numbers of several types, what is refused."""

import cuda.tile as ct


@ct.kernel
def chosen(arrays, out, factor, which, TILE: ct.Constant[int]):
    """Write one array of a list, times a number, to `out`."""
    block = ct.bid(0)
    one = arrays[which]
    tile = ct.load(one, index=(block,), shape=(TILE,))
    ct.store(out, index=(block,), tile=tile * factor)


@ct.kernel
def scaled(x, y, factor, count, TILE: ct.Constant[int]):
    """Write an array times a number plus another number."""
    block = ct.bid(0)
    tile = ct.load(x, index=(block,), shape=(TILE,))
    ct.store(y, index=(block,), tile=tile * factor + ct.astype(count, ct.float32))


@ct.kernel
def widely(x: ct.IndexedWithInt64, y, factor, TILE: ct.Constant[int]):
    """Write an array with 64-bit extents times a number."""
    block = ct.bid(0)
    ct.store(y, index=(block,), tile=ct.load(x, index=(block,), shape=(TILE,)) * factor)


@ct.kernel
def refused(x, y):
    """Places of 32 bits beside numbers of 64, of which cutile 0.5.0 folds no pair."""
    tile = ct.load(x, index=(0, 0), shape=(8, 8))
    ct.store(y, index=(0, 0), tile=ct.argmax(tile, axis=1, keepdims=True).astype(ct.float64) + tile)
