"""Join partial attention results: the second half of attention that is split along the keys.

Each split has its own softmax: an output and the logarithm (base 2) of its sum of exponentials. The joint
output is the mean of the parts weighted by 2^lse, taken relative to the largest so that nothing overflows.
"""

import math

import cuda.tile as ct


@ct.kernel
def split_k_reduce(
    parts,
    lse,
    out,
    SPLITS: ct.Constant[int],
    TILE_D: ct.Constant[int],
):
    """Write `TILE_D` columns of the joint output of head `bid(0)` to `out`."""
    head, j = ct.bid(0), ct.bid(1)

    # A split that saw no key has lse = -inf; a padded one is given the same, so both weigh nothing.
    sums = ct.load(lse, index=(head, 0), shape=(1, SPLITS), padding_mode=ct.PaddingMode.NEG_INF)
    sums = sums.reshape((SPLITS, 1))
    peak = ct.max(sums, axis=0, keepdims=True)
    # With no key at all the peak is -inf too, and -inf - -inf is not a number.
    peak = ct.where(peak > -math.inf, peak, 0.0)
    weights = ct.exp2(sums - peak)

    part = ct.load(parts, index=(head, 0, j), shape=(1, SPLITS, TILE_D), padding_mode=ct.PaddingMode.ZERO)
    part = part.reshape((SPLITS, TILE_D)).astype(ct.float32)
    total = ct.sum(weights, axis=0, keepdims=True)
    joined = ct.sum(part * weights, axis=0, keepdims=True) / ct.where(total > 0.0, total, 1.0)
    ct.store(out, index=(head, j), tile=joined.astype(out.dtype))


def host(parts, lse):
    """Return the joint output (heads, d) of `parts` (heads, splits, d) with weights 2^`lse` (heads, splits)."""
    import torch

    heads, splits, head_dim = parts.shape
    out = torch.empty(heads, head_dim, dtype=torch.float16, device=parts.device)
    tile_d = 128
    grid = (heads, ct.cdiv(head_dim, tile_d))
    splits_tile = 1 << (splits - 1).bit_length()
    ct.launch(torch.cuda.current_stream(), grid, split_k_reduce, (parts, lse, out, splits_tile, tile_d))
    return out
