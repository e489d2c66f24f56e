"""Softmax of each row, third style: gather and scatter with a mask of its own.

Only the first `lengths[row]` entries of a row count (a padded batch); the rest of the row becomes zero.
A view cannot express a limit that is read from memory, so the kernel addresses elements itself.
"""

import math

import cuda.tile as ct


@ct.kernel
def softmax_gather(x, lengths, y, COLUMNS: ct.Constant[int]):
    """Write the softmax of the first `lengths[row]` entries of row `bid(0)` to `y`, zeros after them."""
    row = ct.bid(0)
    length = ct.gather(lengths, row)
    columns = ct.arange(COLUMNS, dtype=ct.int32)
    inside = columns < length

    logits = ct.gather(x, (row, columns), mask=inside, padding_value=-math.inf)
    weights = ct.exp(logits - ct.max(logits, axis=0))
    total = ct.sum(weights, axis=0)

    # The mask is not needed here: outside it the weight is exp(-inf) = 0, the value that is wanted.
    ct.scatter(y, (row, columns), weights / total)


def host(x, lengths):
    """Return the softmax of each row's first `lengths[row]` entries (x: rank 2, float32; lengths: int32)."""
    import torch

    y = torch.empty_like(x)
    tile = 1 << (x.shape[1] - 1).bit_length()
    ct.launch(torch.cuda.current_stream(), (x.shape[0],), softmax_gather, (x, lengths, y, tile))
    return y
