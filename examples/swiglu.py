"""SwiGLU activation by gather and scatter: y = silu(gate) * up, where gate and up are halves of one row.

A projection writes both halves side by side: row = [gate | up]. The kernel addresses elements itself, because
the second half starts at a column that is not a multiple of the tile.
"""

import cuda.tile as ct


def sigmoid(x):
    """Return 1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + ct.exp(-x))


@ct.kernel
def swiglu(both, y, hidden, TILE: ct.Constant[int]):
    """Write columns `bid(1) * TILE ...` of row `bid(0)` of the activation to `y`."""
    row = ct.bid(0)
    columns = ct.bid(1) * TILE + ct.arange(TILE, dtype=ct.int32)

    # Past the end of the gate half lies the up half, inside the array: bounds alone would not stop the read.
    inside = columns < hidden
    gate = ct.gather(both, (row, columns), mask=inside).astype(ct.float32)
    up = ct.gather(both, (row, columns + hidden), mask=inside).astype(ct.float32)

    activated = gate * sigmoid(gate) * up
    ct.scatter(y, (row, columns), activated.astype(y.dtype))


def host(both):
    """Return silu(gate) * up for `both` = [gate | up] (rank 2)."""
    import torch

    rows, width = both.shape
    hidden = width // 2
    y = torch.empty(rows, hidden, dtype=both.dtype, device=both.device)
    tile = 1024
    grid = (rows, ct.cdiv(hidden, tile))
    ct.launch(torch.cuda.current_stream(), grid, swiglu, (both, y, hidden, tile))
    return y
