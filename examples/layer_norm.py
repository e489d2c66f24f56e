"""Layer norm, several rows per block: a 2-D tile holds `ROWS` rows of up to `COLUMNS` columns.

Short rows leave most of a block idle when it takes one at a time. A 2-D tile keeps it busy; all reductions
run along axis 1 and keep that axis, so they broadcast back without a reshape.
"""

import cuda.tile as ct


@ct.kernel
def layer_norm(
    x,
    weight,
    bias,
    y,
    mean_out,
    rstd_out,
    epsilon,
    ROWS: ct.Constant[int],
    COLUMNS: ct.Constant[int],
):
    """Write the layer norm of `ROWS` rows of `x` to `y`, and what a backward pass needs to the other two."""
    block = ct.bid(0)
    column_count = x.shape[1]

    rows = ct.load(x, index=(block, 0), shape=(ROWS, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    rows = rows.astype(ct.float32)
    mean = ct.sum(rows, axis=1, keepdims=True) / column_count

    # A padded lane is 0 - mean after centring, not 0: it must be taken out of the variance by hand.
    inside = ct.arange(COLUMNS, dtype=ct.int32)[None, :] < column_count
    centred = ct.where(inside, rows - mean, 0.0)
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / column_count
    rstd = 1.0 / ct.sqrt(variance + epsilon)

    gain = ct.load(weight, index=(0,), shape=(COLUMNS,), padding_mode=ct.PaddingMode.ZERO)
    shift = ct.load(bias, index=(0,), shape=(COLUMNS,), padding_mode=ct.PaddingMode.ZERO)
    result = centred * rstd * gain.astype(ct.float32) + shift.astype(ct.float32)

    ct.store(y, index=(block, 0), tile=result.astype(y.dtype))
    ct.store(mean_out, index=(block,), tile=mean.reshape((ROWS,)))
    ct.store(rstd_out, index=(block,), tile=rstd.reshape((ROWS,)))


def host(x, weight, bias, epsilon=1e-5):
    """Return the layer norm of `x` along its last axis (rank 2), the means, and the reciprocal deviations."""
    import torch

    rows, columns = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    tile = (4, 1 << (columns - 1).bit_length())
    grid = (ct.cdiv(rows, tile[0]),)
    ct.launch(torch.cuda.current_stream(), grid, layer_norm, (x, weight, bias, y, mean, rstd, epsilon, *tile))
    return y, mean, rstd
