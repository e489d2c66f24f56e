"""Stores that need no `unsafe`, and near ones that do."""

import cuda.tile as ct


@ct.kernel
def own(x, y, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    """Every block its own tile; the axes of the grid are not those of the arrays."""
    index = (ct.bid(1), ct.bid(0))
    tile = ct.load(x, index=index, shape=(ROWS, COLUMNS))
    ct.store(y, index=index, tile=tile + tile)


@ct.kernel
def row(x, y, COLUMNS: ct.Constant[int]):
    """One block a row, with a number for the other axis."""
    tile = ct.load(x, index=(ct.bid(0), 0), shape=(1, COLUMNS))
    ct.store(y, index=(ct.bid(0), 0), tile=tile - ct.max(tile, axis=1, keepdims=True))


@ct.kernel
def next_to_it(x, y, COLUMNS: ct.Constant[int]):
    """At a sum."""
    tile = ct.load(x, index=(ct.bid(0), 0), shape=(1, COLUMNS))
    ct.store(y, index=(ct.bid(0) + 1, 0), tile=tile)


@ct.kernel
def in_place(x, COLUMNS: ct.Constant[int]):
    """Reads what it writes."""
    tile = ct.load(x, index=(ct.bid(0), 0), shape=(1, COLUMNS))
    ct.store(x, index=(ct.bid(0), 0), tile=tile + tile)


@ct.kernel
def neighbour(x, COLUMNS: ct.Constant[int]):
    """Reads what another block writes."""
    tile = ct.load(x, index=(ct.bid(1), 0), shape=(1, COLUMNS))
    ct.store(x, index=(ct.bid(0), 0), tile=tile + tile)


@ct.kernel
def of_rank_four(x, y, COLUMNS: ct.Constant[int]):
    """Of a rank that cutile does not borrow mutably."""
    index = (ct.bid(0), ct.bid(1), ct.bid(2), 0)
    ct.store(y, index=index, tile=ct.load(x, index=index, shape=(1, 1, 1, COLUMNS)))


@ct.kernel
def hinted(x, y, z, w, COLUMNS: ct.Constant[int]):
    """With hints."""
    tile = ct.load(x, index=(ct.bid(0), 0), shape=(1, COLUMNS))
    ct.store(y, index=(ct.bid(0), 0), tile=tile, allow_tma=False)
    ct.store(z, index=(ct.bid(0), 0), tile=tile, latency=3)
    ct.store(w, index=(ct.bid(0), 0), tile=tile, latency=4, allow_tma=False)


@ct.kernel
def over_rows(x, y, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    """A block goes over rows of tiles, one grid apart."""
    for row in range(ct.bid(0), ct.cdiv(x.shape[0], ROWS), ct.num_blocks(0)):
        ct.store(y, index=(row, 0), tile=ct.load(x, index=(row, 0), shape=(ROWS, COLUMNS)))


@ct.kernel
def by_threes(x, y, COLUMNS: ct.Constant[int]):
    """The same for a number of rows, for a number of blocks."""
    for row in range(ct.bid(0), 10, 3):
        ct.store(y, index=(row, 0), tile=ct.load(x, index=(row, 0), shape=(4, COLUMNS)))


@ct.kernel
def in_order(x, y, COLUMNS: ct.Constant[int]):
    """One after the other."""
    for row in range(3):
        tile = ct.load(y, index=(ct.bid(0), row), shape=(1, COLUMNS))
        ct.store(y, index=(ct.bid(0), row), tile=tile)


@ct.kernel
def shared(x, y, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    """As `own`, and the arrays may share elements, or each may have one at two places."""
    index = (ct.bid(1), ct.bid(0))
    tile = ct.load(x, index=index, shape=(ROWS, COLUMNS))
    ct.store(y, index=index, tile=tile + tile)
