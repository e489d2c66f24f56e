"""Element accesses with a short call of the prelude, and near ones that must not have it."""

import cuda.tile as ct


@ct.kernel
def short(x, lengths, y, lasts, TILE: ct.Constant[int]):
    """Contiguous: one element, a row of elements, elements, and one element written."""
    row = ct.bid(0)
    length = ct.gather(lengths, row)
    columns = ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, (row, columns), mask=columns < length)
    ct.scatter(lasts, row, ct.max(values, axis=0))
    ct.scatter(y, row * TILE + columns, values)


@ct.kernel
def long(x, lengths, y, TILE: ct.Constant[int]):
    """A padding of its own for one element, and rows that lie apart."""
    row = ct.bid(0)
    length = ct.gather(lengths, row, padding_value=7)
    columns = ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, (columns, row), mask=columns < length)
    ct.scatter(y, (columns, row), values)
