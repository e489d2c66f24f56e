"""Rotary position embedding: rotate each pair (x[d], x[d + D/2]) by an angle that grows with the position.

The two halves of a head are two tiles of one view, so a rotation is four products and no shuffling of lanes.
Sines and cosines come from a table (positions, D/2) that all heads share.
"""

import cuda.tile as ct


@ct.kernel
def rope(
    x,
    cosines,
    sines,
    y,
    POSITIONS: ct.Constant[int],
    HALF: ct.Constant[int],
):
    """Write `POSITIONS` rotated positions of head `bid(1)` of batch entry `bid(2)` to `y`."""
    tile_id, head, entry = ct.bid(0), ct.bid(1), ct.bid(2)
    shape = (1, 1, POSITIONS, HALF)

    cosine = ct.load(cosines, index=(tile_id, 0), shape=(POSITIONS, HALF)).reshape(shape)
    sine = ct.load(sines, index=(tile_id, 0), shape=(POSITIONS, HALF)).reshape(shape)
    first = ct.load(x, index=(entry, head, tile_id, 0), shape=shape).astype(ct.float32)
    second = ct.load(x, index=(entry, head, tile_id, 1), shape=shape).astype(ct.float32)

    turned_first = first * cosine - second * sine
    turned_second = second * cosine + first * sine
    ct.store(y, index=(entry, head, tile_id, 0), tile=turned_first.astype(y.dtype))
    ct.store(y, index=(entry, head, tile_id, 1), tile=turned_second.astype(y.dtype))


def host(x, cosines, sines):
    """Return `x` (batch, heads, length, head size) rotated by the tables (length, head size / 2), float32."""
    import torch

    y = torch.empty_like(x)
    batch, heads, length, head_dim = x.shape
    positions = 32
    grid = (ct.cdiv(length, positions), heads, batch)
    ct.launch(torch.cuda.current_stream(), grid, rope, (x, cosines, sines, y, positions, head_dim // 2))
    return y
