"""Kernels that compute where to read and write, each with one public fault: `# wrong` marks it, `RIGHT` avoids it."""

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def scatter_rows(x, rows, y, WIDTH: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Copy row `bid(0)` of `x` to row `rows[bid(0)]` of `y`, through a tile that is wider than a row."""
    row = ct.gather(rows, ct.bid(0))
    columns = ct.arange(WIDTH, dtype=ct.int32)
    value = ct.gather(x, (ct.bid(0), columns))
    if RIGHT:
        ct.scatter(y, (row, columns), value)
    else:
        place = row * y.shape[1] + columns
        y.get_raw_memory().store_offset(place, value, mask=place < y.shape[0] * y.shape[1])  # wrong


@ct.kernel
def rope_in_place(x, cosines, sines, TILE: ct.Constant[int], HALF: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Rotate the first 2 `HALF` columns of `x`; the rest of a row stays as it is."""
    i = ct.bid(0)
    cosine = ct.load(cosines, index=(i, 0), shape=(TILE, HALF), padding_mode=ZERO)
    sine = ct.load(sines, index=(i, 0), shape=(TILE, HALF), padding_mode=ZERO)
    first = ct.load(x, index=(i, 0), shape=(TILE, HALF), padding_mode=ZERO)
    second = ct.load(x, index=(i, 1), shape=(TILE, HALF), padding_mode=ZERO)
    ct.store(x, index=(i, 0), tile=first * cosine - second * sine)
    if not RIGHT:
        first = ct.load(x, index=(i, 0), shape=(TILE, HALF), padding_mode=ZERO)
    ct.store(x, index=(i, 1), tile=second * cosine + first * sine)


@ct.kernel
def far_elements(x, y, first_block, TILE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Copy `TILE` elements of `x` in row-major order; `x` has more than 2^31 of them."""
    within = ct.arange(TILE, dtype=ct.int32)
    block = ct.bid(0) + first_block
    place = (ct.astype(block, ct.int64) if RIGHT else block) * TILE + within
    value = ct.gather(x, (place // x.shape[1], place % x.shape[1]))
    ct.scatter(y, ct.bid(0) * TILE + within, value)


@ct.kernel
def permute_heads(x, y, outer, inner, SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Permute the axes (outer, head, inner) of the rows of `x` to (head, outer, inner)."""
    m, head, h2 = ct.bid(0), ct.bid(1), ct.bid(2)
    value = ct.load(x, index=(m, head, h2, 0), shape=(1, 1, 1, SIZE)).reshape((1, SIZE))
    if RIGHT:
        ct.store(y, index=((head * outer + m) * inner + h2, 0), tile=value)
    else:
        ct.store(y, index=((head * outer + h2) * inner + m, 0), tile=value)  # wrong
