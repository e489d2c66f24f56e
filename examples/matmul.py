"""Matrix product, persistent: one block per multiprocessor, each works through many output tiles.

Tiles are visited in groups of `GROUP` tile rows, column by column inside a group. Blocks that run at the same
time then share rows of A and columns of B in the second-level cache; plain row order would stream all of B
through it again for every tile row.
"""

import cuda.tile as ct


def grouped_tile(serial, tile_rows, tile_columns, GROUP):
    """Return the tile row and column of the `serial`-th tile in grouped order."""
    tiles_in_group = GROUP * tile_columns
    first_row = (serial // tiles_in_group) * GROUP
    # The last group may have fewer rows than the others.
    group_rows = min(tile_rows - first_row, GROUP)
    within = serial % tiles_in_group
    return first_row + within % group_rows, within // group_rows


@ct.kernel(num_ctas=1)
def matmul(
    a,
    b,
    c,
    TILE_M: ct.Constant[int],
    TILE_N: ct.Constant[int],
    TILE_K: ct.Constant[int],
    GROUP: ct.Constant[int],
):
    """Write `a @ b` to `c`; a block takes every `num_blocks(0)`-th tile of `c`."""
    tile_rows = ct.cdiv(c.shape[0], TILE_M)
    tile_columns = ct.cdiv(c.shape[1], TILE_N)
    k_count = ct.cdiv(a.shape[1], TILE_K)

    for serial in range(ct.bid(0), tile_rows * tile_columns, ct.num_blocks(0)):
        i, j = grouped_tile(serial, tile_rows, tile_columns, GROUP)

        acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
        for k in range(k_count):
            # Along k both sides are padded with zeros: a product with padding adds nothing.
            left = ct.load(a, index=(i, k), shape=(TILE_M, TILE_K), padding_mode=ct.PaddingMode.ZERO)
            right = ct.load(b, index=(k, j), shape=(TILE_K, TILE_N), padding_mode=ct.PaddingMode.ZERO)
            acc = ct.mma(left, right, acc)

        ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


def host(a, b):
    """Return `a @ b` (rank 2)."""
    import torch

    c = torch.empty(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
    tile = (128, 128, 64)
    tile_count = ct.cdiv(c.shape[0], tile[0]) * ct.cdiv(c.shape[1], tile[1])
    sm_count = torch.cuda.get_device_properties(a.device).multi_processor_count
    grid = (min(sm_count, tile_count),)
    ct.launch(torch.cuda.current_stream(), grid, matmul, (a, b, c, *tile, 8))
    return c
