"""Histogram with atomic additions: blocks count into one array of bins that they share.

Additions are relaxed: the order in which blocks count does not matter, only that none is lost.
"""

import cuda.tile as ct


@ct.kernel
def histogram(values, bins, low, bins_per_unit, TILE: ct.Constant[int]):
    """Add one to `bins[floor((v - low) * bins_per_unit)]` for each of a block's `TILE` values."""
    positions = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)

    # A lane past the end gets a value below every bin. Its index is negative, hence out of bounds,
    # and is not counted; the same holds for values outside the range of the bins.
    value = ct.gather(values, positions, padding_value=low - 1.0)
    bin_id = ct.floor((value - low) * bins_per_unit).astype(ct.int32)
    ct.atomic_add(bins, bin_id, 1, memory_order=ct.MemoryOrder.RELAXED)


def host(values, low, high, bin_count):
    """Return how many of `values` (float32, rank 1) fall into each of `bin_count` equal bins of [low, high)."""
    import torch

    bins = torch.zeros(bin_count, dtype=torch.int32, device=values.device)
    tile = 256
    grid = (ct.cdiv(values.numel(), tile),)
    args = (values, bins, float(low), bin_count / (high - low), tile)
    ct.launch(torch.cuda.current_stream(), grid, histogram, args)
    return bins
