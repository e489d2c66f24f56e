"""Matrix products, each with one public fault: `RIGHT` chooses the form, `# wrong` marks the fault."""

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def matmul(a, b, c, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write `a @ b` to `c`, which no tile divides."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TILE, TILE), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TILE)):
        left = ct.load(a, index=(i, k), shape=(TILE, TILE), padding_mode=ZERO)
        right = ct.load(b, index=(k, j), shape=(TILE, TILE), padding_mode=ZERO)
        acc = ct.mma(left, right, acc)
    if RIGHT:
        ct.store(c, index=(i, j), tile=acc)
    else:
        rows = i * TILE + ct.arange(TILE, dtype=ct.int32)[:, None]
        columns = j * TILE + ct.arange(TILE, dtype=ct.int32)[None, :]
        ct.scatter(c, (rows, columns), acc, check_bounds=False)  # wrong


@ct.kernel
def single_matmul(a, b, c, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write `a @ b` of single-precision arrays to `c`, by way of tf32 as the reference does."""
    left = ct.load(a, index=(ct.bid(0), 0), shape=(TILE, TILE), padding_mode=ZERO)
    right = ct.load(b, index=(0, 0), shape=(TILE, TILE), padding_mode=ZERO)
    if RIGHT:
        left, right = left.astype(ct.tfloat32), right.astype(ct.tfloat32)
    ct.store(c, index=(ct.bid(0), 0), tile=ct.mma(left, right, ct.zeros((TILE, TILE), dtype=ct.float32)))


@ct.kernel
def transposed_matmul(a, b, c, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write `a @ b` to `c`; the host has already transposed `b` by swapping its strides."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TILE, TILE), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TILE)):
        left = ct.load(a, index=(i, k), shape=(TILE, TILE))
        if RIGHT:
            right = ct.load(b, index=(k, j), shape=(TILE, TILE))
        else:
            right = ct.load(b, index=(j, k), shape=(TILE, TILE)).transpose()
        acc = ct.mma(left, right, acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def add_product(a, b, c, alpha, beta, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write `alpha a @ b + beta c` to `c`; with `beta` zero, `c` has no values yet and does not count."""
    left = ct.load(a, index=(ct.bid(0), 0), shape=(TILE, TILE))
    right = ct.load(b, index=(0, 0), shape=(TILE, TILE))
    result = alpha * ct.mma(left, right, ct.zeros((TILE, TILE), dtype=ct.float32))
    if RIGHT:
        if beta != 0.0:
            result = result + beta * ct.load(c, index=(ct.bid(0), 0), shape=(TILE, TILE))
    else:
        result = result + beta * ct.load(c, index=(ct.bid(0), 0), shape=(TILE, TILE))  # wrong
    ct.store(c, index=(ct.bid(0), 0), tile=result)
