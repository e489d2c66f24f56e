"""Positions of the largest element of each row in f64: `argmax` of 64 bits has no exact form in cuTile Rust (FT305)."""

import cuda.tile as ct


@ct.kernel
def largest(x, positions, COLUMNS: ct.Constant[int]):
    """Write the column of each row's largest element."""
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, COLUMNS))
    ct.store(positions, index=(row,), tile=ct.argmax(values, axis=1))
