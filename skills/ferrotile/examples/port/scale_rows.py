"""Scale every row of a matrix by a number of its own: the smallest port with two array ranks and a ragged edge."""

import cuda.tile as ct


@ct.kernel
def scale_rows(x, factors, y, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    """Write `x * factors[:, None]` to `y`, one tile of rows and columns per block."""
    row, column = ct.bid(0), ct.bid(1)
    values = ct.load(x, index=(row, column), shape=(ROWS, COLUMNS))
    # one factor for each row of the tile
    scale = ct.load(factors, index=(row,), shape=(ROWS,))
    ct.store(y, index=(row, column), tile=values * ct.reshape(scale, (ROWS, 1)))
