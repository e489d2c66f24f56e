"""A kernel for the tests of the C ABI: ways of passing and of specializing that the examples do not have."""

import cuda.tile as ct


@ct.kernel
def special(x, extra, y, count, factor, FLAG: ct.Constant[bool], GAIN: ct.Constant[float]):
    """Write `factor * GAIN * x + extra` to `y`, and `count` more if `FLAG`."""
    block = ct.bid(0)
    tile = ct.load(x, index=(block, 0), shape=(1, 64)) * (factor * GAIN)
    tile = tile + ct.load(extra, index=(0, 0), shape=(1, 64))
    if FLAG:
        tile = tile + count
    ct.store(y, index=(block, 0), tile=tile)
