"""Softmax of each row, second style: the row is read in chunks, so its length has no limit.

A running maximum and a running sum are kept while chunks pass by. Whenever the maximum grows, the sum so
far is rescaled to the new one. A second pass writes the quotients.
"""

import math

import cuda.tile as ct

LOG2_E = math.log2(math.e)


@ct.kernel
def softmax_online(x, y, CHUNK: ct.Constant[int]):
    """Write the softmax of row `bid(0)` of `x` to `y`, reading the row twice in chunks."""
    row = ct.bid(0)
    chunk_count = ct.num_tiles(x, axis=1, shape=(1, CHUNK))

    peak = ct.full((1, 1), -math.inf, dtype=ct.float32)
    total = ct.zeros((1, 1), dtype=ct.float32)
    for j in range(chunk_count):
        logits = ct.load(x, index=(row, j), shape=(1, CHUNK), padding_mode=ct.PaddingMode.NEG_INF)
        # 2^(x log2 e) is e^x; the hardware has only the power of two.
        logits = logits.astype(ct.float32) * LOG2_E
        new_peak = ct.maximum(peak, ct.max(logits, axis=1, keepdims=True))
        total = total * ct.exp2(peak - new_peak) + ct.sum(ct.exp2(logits - new_peak), axis=1, keepdims=True)
        peak = new_peak

    scale = 1.0 / total
    for j in range(chunk_count):
        logits = ct.load(x, index=(row, j), shape=(1, CHUNK), padding_mode=ct.PaddingMode.NEG_INF)
        share = ct.exp2(logits.astype(ct.float32) * LOG2_E - peak) * scale
        ct.store(y, index=(row, j), tile=share.astype(y.dtype))


def host(x):
    """Return the softmax of `x` along its last axis (rank 2, any row length)."""
    import torch

    y = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (x.shape[0],), softmax_online, (x, y, 2048))
    return y
