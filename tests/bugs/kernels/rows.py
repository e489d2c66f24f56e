"""Kernels that work row by row, each with one public fault: `RIGHT` chooses the form, `# wrong` marks the fault."""

import math

import cuda.tile as ct

ZERO, NEG_INF = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF


@ct.kernel
def reduce_splits(parts, lse, out, SPLITS: ct.Constant[int], COLUMNS: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Join partial results of one head, weighted by 2^lse; `SPLITS` is the power of two above their number."""
    head = ct.bid(0)
    sums = ct.load(lse, index=(head, 0), shape=(1, SPLITS), padding_mode=NEG_INF).reshape((SPLITS, 1))
    if RIGHT:
        part = ct.load(parts, index=(head, 0, 0), shape=(1, SPLITS, COLUMNS), padding_mode=ZERO)
    else:
        part = ct.load(parts, index=(head, 0, 0), shape=(1, SPLITS, COLUMNS))  # wrong
    weights = ct.exp2(sums - ct.max(sums, axis=0, keepdims=True))
    joined = ct.sum(part.reshape((SPLITS, COLUMNS)) * weights, axis=0, keepdims=True)
    ct.store(out, index=(head, 0), tile=joined / ct.sum(weights, axis=0, keepdims=True))


@ct.kernel
def gelu(x, y, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write x / (1 + exp(-1.5957691 (x + 0.044715 x^3))), the tanh form of GELU, to `y`."""
    positions = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    inside = positions < x.shape[0]
    if RIGHT:
        value = ct.gather(x, positions, mask=inside, check_bounds=False)
    else:
        value = ct.gather(x, positions, check_bounds=False)  # wrong
    inner = 1.5957691216057308 * (value + 0.044715 * value * value * value)
    result = value / (1.0 + ct.exp(-inner))
    if RIGHT:
        ct.scatter(y, positions, result, mask=inside, check_bounds=False)
    else:
        ct.scatter(y, positions, result, check_bounds=False)  # wrong


@ct.kernel
def scale_by_weight(x, weight, y, COLUMNS: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Multiply half-precision rows by a weight that the caller keeps in single precision."""
    row = ct.bid(0)
    value = ct.load(x, index=(row, 0), shape=(1, COLUMNS)).astype(ct.float32)
    factor = ct.load(weight, index=(0,), shape=(COLUMNS,))
    if not RIGHT:
        factor = factor.astype(x.dtype).astype(ct.float32)  # wrong
    ct.store(y, index=(row, 0), tile=value * factor.reshape((1, COLUMNS)))


@ct.kernel
def rms_norm(x, y, epsilon, COLUMNS: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Divide each row by the root of its mean square; the reference adds `epsilon` under the root."""
    row = ct.bid(0)
    value = ct.load(x, index=(row, 0), shape=(1, COLUMNS), padding_mode=ZERO)
    mean = ct.sum(value * value, axis=1, keepdims=True) / x.shape[1]
    if RIGHT:
        mean = mean + epsilon
    ct.store(y, index=(row, 0), tile=value / ct.sqrt(mean))


@ct.kernel
def double_rows(x, y, COLUMNS: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Double all rows with a grid that is capped, hence smaller than the number of rows."""
    if RIGHT:
        for row in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
            ct.store(y, index=(row, 0), tile=2.0 * ct.load(x, index=(row, 0), shape=(1, COLUMNS)))
    else:
        row = ct.bid(0)
        ct.store(y, index=(row, 0), tile=2.0 * ct.load(x, index=(row, 0), shape=(1, COLUMNS)))


@ct.kernel
def double_tiles(x, y, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Double one row after another, tile by tile; the number of tiles is rounded up."""
    row = ct.bid(0)
    count = ct.cdiv(x.shape[1], TILE) if RIGHT else x.shape[1] // TILE
    for j in range(count):
        ct.store(y, index=(row, j), tile=2.0 * ct.load(x, index=(row, j), shape=(1, TILE)))


@ct.kernel
def capped_log_sum_exp(x, y, cap, COLUMNS: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write log(sum(exp(cap tanh(x / cap)))) of each row, the normaliser of a cross entropy, to `y`."""
    row = ct.bid(0)
    value = ct.load(x, index=(row, 0), shape=(1, COLUMNS), padding_mode=NEG_INF)
    capped = cap * ct.tanh(value / cap)
    if RIGHT:
        columns = ct.arange(COLUMNS, dtype=ct.int32).reshape((1, COLUMNS))
        capped = ct.where(columns < x.shape[1], capped, -math.inf)
    peak = ct.max(capped, axis=1)
    ct.store(y, index=(row,), tile=peak + ct.log(ct.sum(ct.exp(capped - peak.reshape((1, 1))), axis=1)))


@ct.kernel
def sparsemax(x, y, COLUMNS: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Project rows, sorted downwards, onto the simplex: subtract the threshold of the support, clip at zero."""
    row = ct.bid(0)
    value = ct.load(x, index=(row, 0), shape=(1, COLUMNS)).reshape((COLUMNS,))
    rank = 1 + ct.arange(COLUMNS, dtype=ct.int32)
    is_support = 1.0 + rank * value > ct.cumsum(value, axis=0)
    size = ct.sum(ct.where(is_support, 1, 0), axis=0)
    kept = rank <= size if RIGHT else rank < size
    threshold = (ct.sum(ct.where(kept, value, 0.0), axis=0) - 1.0) / size
    ct.store(y, index=(row, 0), tile=ct.maximum(value - threshold, 0.0).reshape((1, COLUMNS)))
