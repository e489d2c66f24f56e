"""Kernels of arrays that 32 bits cannot index, and of one without axes: their texts take these apart."""

import cuda.tile as ct


@ct.kernel
def doubled(x, y, COLUMNS: ct.Constant[int]):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (row, 0), tile * 2)


@ct.kernel
def scaled(x, y, n, COLUMNS: ct.Constant[int]):
    total = ct.zeros((1, COLUMNS), dtype=ct.float32)
    for column in range(ct.num_tiles(x, 1, (1, COLUMNS))):
        total = total + ct.load(x, (ct.bid(0), column), (1, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (ct.bid(0), 0), total * n)


@ct.kernel
def gathered(x, y, COLUMNS: ct.Constant[int]):
    columns = ct.arange(COLUMNS, dtype=ct.int32)
    ct.scatter(y, (ct.bid(0), columns), ct.gather(x, (ct.bid(0), columns)) + 1)
