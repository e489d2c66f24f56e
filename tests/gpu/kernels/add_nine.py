"""A kernel of many arguments that computes next to nothing, for the host time of a launch."""

import cuda.tile as ct


def part(vector, block, TILE):
    """Return a tile of a vector."""
    return ct.load(vector, index=(block,), shape=(TILE,))


@ct.kernel
def add_nine(a, b, c, d, e, f, g, h, i, total, TILE: ct.Constant[int]):
    """Write the sum of nine vectors to `total`."""
    block = ct.bid(0)
    low = part(a, block, TILE) + part(b, block, TILE) + part(c, block, TILE) + part(d, block, TILE)
    high = part(e, block, TILE) + part(f, block, TILE) + part(g, block, TILE) + part(h, block, TILE)
    ct.store(total, index=(block,), tile=low + high + part(i, block, TILE))
