"""Add two vectors: the smallest kernel that is still a real one.

Each block owns one tile of `TILE` neighbouring elements. The last tile may reach past the end of the
vectors; views take care of it: lanes outside are neither read nor written.
"""

import cuda.tile as ct


@ct.kernel
def vector_add(a, b, total, TILE: ct.Constant[int]):
    """Write `a + b` to `total`, one tile per block."""
    block = ct.bid(0)
    left = ct.load(a, index=(block,), shape=(TILE,))
    right = ct.load(b, index=(block,), shape=(TILE,))
    ct.store(total, index=(block,), tile=left + right)


def host(a, b):
    """Return `a + b` for two vectors of one length on the current device."""
    import torch

    total = torch.empty_like(a)
    tile = 1024
    grid = (ct.cdiv(a.numel(), tile),)
    ct.launch(torch.cuda.current_stream(), grid, vector_add, (a, b, total, tile))
    return total
