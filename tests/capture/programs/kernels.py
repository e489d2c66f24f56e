"""Kernels for the recorder: what the launches beside this file differ in shows in their specializations."""

import cuda.tile as ct


@ct.kernel
def double(x, y, TILE: ct.Constant[int]):
    """Write twice `x` to `y`."""
    block = ct.bid(0)
    ct.store(y, (block,), ct.load(x, (block,), (TILE,)) * 2)


@ct.kernel(occupancy=ct.ByTarget(sm_90=2, default=4))
def scale(x, y, factor, TILE: ct.Constant[int]):
    """Write `x` times a number to `y`."""
    block = ct.bid(0)
    ct.store(y, (block,), ct.load(x, (block,), (TILE,)) * factor)


@ct.kernel
def gather_list(xs, y, TILE: ct.Constant[int]):
    """Write the sum of the first tiles of all arrays of a list to `y`."""
    total = ct.zeros((TILE,), ct.float32)
    for number in range(len(xs)):
        total += ct.load(xs[number], (0,), (TILE,))
    ct.store(y, (0,), total)


@ct.kernel
def add_pair(pair, y, TILE: ct.Constant[int]):
    """Write the sum of the two arrays of a tuple to `y`."""
    block = ct.bid(0)
    ct.store(y, (block,), ct.load(pair[0], (block,), (TILE,)) + ct.load(pair[1], (block,), (TILE,)))


def power_of(exponent):
    """A kernel that is another program for every exponent, under one name."""

    @ct.kernel
    def power(x, y, TILE: ct.Constant[int]):
        block = ct.bid(0)
        ct.store(y, (block,), ct.load(x, (block,), (TILE,)) * exponent)

    return power


@ct.kernel
def wrong(x, y, TILE: ct.Constant[int]):
    """A tile of 3 x TILE is no tile of `y`."""
    ct.store(y, (0,), ct.zeros((3, TILE), ct.float32))
