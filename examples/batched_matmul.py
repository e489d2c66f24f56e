"""Batched matrix product with a transposed right side: c[n] = a[n] @ b[n].T for every n of a batch.

The right matrices are stored with k last, as weights usually are. A tile of them is loaded as it lies in
memory and its axes are swapped in registers by `permute`.
"""

import cuda.tile as ct


@ct.kernel
def batched_matmul(
    a,
    b,
    c,
    TILE_M: ct.Constant[int],
    TILE_N: ct.Constant[int],
    TILE_K: ct.Constant[int],
):
    """Write tile `(bid(1), bid(2))` of the product of batch entry `bid(0)` to `c`."""
    entry, i, j = ct.bid(0), ct.bid(1), ct.bid(2)

    acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=2, shape=(1, TILE_M, TILE_K))):
        left = ct.load(a, index=(entry, i, k), shape=(1, TILE_M, TILE_K), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, index=(entry, j, k), shape=(1, TILE_N, TILE_K), padding_mode=ct.PaddingMode.ZERO)
        right = ct.permute(right, (0, 2, 1))
        acc = ct.mma(left.reshape((TILE_M, TILE_K)), right.reshape((TILE_K, TILE_N)), acc)

    result = acc.astype(c.dtype).reshape((1, TILE_M, TILE_N))
    ct.store(c, index=(entry, i, j), tile=result)


def host(a, b):
    """Return `a @ b.transpose(1, 2)` (rank 3)."""
    import torch

    c = torch.empty(a.shape[0], a.shape[1], b.shape[1], dtype=a.dtype, device=a.device)
    tile = (64, 128, 64)
    grid = (a.shape[0], ct.cdiv(c.shape[1], tile[0]), ct.cdiv(c.shape[2], tile[1]))
    ct.launch(torch.cuda.current_stream(), grid, batched_matmul, (a, b, c, *tile))
    return c
