"""Root mean square norm of each row: y = x / sqrt(mean(x^2) + epsilon) * weight.

The row is read in chunks. Squares are summed lane by lane over all chunks, and the lanes are added up only
once, after the loop: one reduction a row instead of one a chunk.
"""

import cuda.tile as ct


@ct.kernel
def rms_norm(x, weight, y, epsilon, CHUNK: ct.Constant[int]):
    """Write the norm of row `bid(0)` of `x`, scaled by `weight`, to `y`."""
    row = ct.bid(0)
    column_count = x.shape[1]
    chunk_count = ct.cdiv(column_count, CHUNK)

    squares = ct.zeros((1, CHUNK), dtype=ct.float32)
    for j in range(chunk_count):
        # Zero padding: lanes past the end of the row must add nothing.
        part = ct.load(x, index=(row, j), shape=(1, CHUNK), padding_mode=ct.PaddingMode.ZERO)
        part = part.astype(ct.float32)
        squares += part * part

    mean = ct.sum(squares, axis=1, keepdims=True) / column_count
    scale = ct.rsqrt(mean + epsilon)

    for j in range(chunk_count):
        part = ct.load(x, index=(row, j), shape=(1, CHUNK), padding_mode=ct.PaddingMode.ZERO)
        gain = ct.load(weight, index=(j,), shape=(CHUNK,), padding_mode=ct.PaddingMode.ZERO)
        normed = part.astype(ct.float32) * scale * gain.astype(ct.float32)
        ct.store(y, index=(row, j), tile=normed.astype(y.dtype))


def host(x, weight, epsilon=1e-6):
    """Return the root mean square norm of `x` along its last axis (rank 2)."""
    import torch

    y = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (x.shape[0],), rms_norm, (x, weight, y, epsilon, 1024))
    return y
