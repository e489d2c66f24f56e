"""Causal attention in one pass: softmax(q @ k.T / sqrt(d)) @ v without ever storing the scores.

A block owns `TILE_M` queries of one head and walks over the keys in tiles of `TILE_N`, keeping a running
maximum, a running sum and the unnormalised output. Keys after the query do not count, so the walk ends at the
diagonal, and only tiles on the diagonal need a mask.
"""

import math

import cuda.tile as ct

LOG2_E = math.log2(math.e)


@ct.kernel(occupancy=2)
def attention(
    q,
    k,
    v,
    out,
    scale,
    HEAD_DIM: ct.Constant[int],
    TILE_M: ct.Constant[int],
    TILE_N: ct.Constant[int],
):
    """Write the attention of query tile `bid(0)` of head `bid(1)` of batch entry `bid(2)` to `out`."""
    i, head, entry = ct.bid(0), ct.bid(1), ct.bid(2)
    key_count = k.shape[2]

    queries = ct.load(q, index=(entry, head, i, 0), shape=(1, 1, TILE_M, HEAD_DIM), padding_mode=ct.PaddingMode.ZERO)
    queries = queries.reshape((TILE_M, HEAD_DIM))
    query_ids = i * TILE_M + ct.arange(TILE_M, dtype=ct.int32)[:, None]

    # Scores are kept in powers of two, because exp2 is what the hardware has.
    scale_log2 = scale * LOG2_E
    peak = ct.full((TILE_M, 1), -math.inf, dtype=ct.float32)
    total = ct.zeros((TILE_M, 1), dtype=ct.float32)
    acc = ct.zeros((TILE_M, HEAD_DIM), dtype=ct.float32)

    first_masked = i * TILE_M // TILE_N
    last = ct.cdiv(min((i + 1) * TILE_M, key_count), TILE_N)
    for j in range(last):
        # order: the tile is (HEAD_DIM, TILE_N), the transpose of how keys lie in memory.
        keys = ct.load(
            k, index=(entry, head, 0, j), shape=(1, 1, HEAD_DIM, TILE_N), order=(0, 1, 3, 2), latency=2
        ).reshape((HEAD_DIM, TILE_N))
        scores = ct.mma(queries, keys, ct.zeros((TILE_M, TILE_N), dtype=ct.float32))
        if j >= first_masked:
            key_ids = j * TILE_N + ct.arange(TILE_N, dtype=ct.int32)[None, :]
            visible = (query_ids >= key_ids) & (key_ids < key_count)
            scores = ct.where(visible, scores, -math.inf)

        new_peak = ct.maximum(peak, ct.max(scores, axis=1, keepdims=True) * scale_log2)
        weights = ct.exp2(scores * scale_log2 - new_peak)
        correction = ct.exp2(peak - new_peak)
        total = total * correction + ct.sum(weights, axis=1, keepdims=True)

        values = ct.load(
            v, index=(entry, head, j, 0), shape=(1, 1, TILE_N, HEAD_DIM), padding_mode=ct.PaddingMode.ZERO, latency=4
        ).reshape((TILE_N, HEAD_DIM))
        acc = ct.mma(weights.astype(v.dtype), values, acc * correction)
        peak = new_peak

    result = (acc / total).astype(out.dtype).reshape((1, 1, TILE_M, HEAD_DIM))
    ct.store(out, index=(entry, head, i, 0), tile=result)


def host(q, k, v):
    """Return causal attention of `q`, `k`, `v`, each (batch, heads, length, head size)."""
    import torch

    out = torch.empty_like(q)
    batch, heads, length, head_dim = q.shape
    tile_m, tile_n = 128, 64
    grid = (ct.cdiv(length, tile_m), heads, batch)
    args = (q, k, v, out, 1 / math.sqrt(head_dim), head_dim, tile_m, tile_n)
    ct.launch(torch.cuda.current_stream(), grid, attention, args)
    return out
