"""The same after the cure that the refusal names: the maximum first, then the least index where it stands.

Not the same program as before where a row holds NaN; whoever cures a kernel says so and checks what depends on it.
"""

import cuda.tile as ct


@ct.kernel
def largest(x, positions, COLUMNS: ct.Constant[int]):
    """Write the column of each row's largest element."""
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, COLUMNS))
    peak = ct.max(values, axis=1, keepdims=True)
    columns = ct.reshape(ct.arange(COLUMNS, dtype=ct.int32), (1, COLUMNS))
    # lanes that are not the largest never win the minimum
    candidates = ct.where(values == peak, columns, COLUMNS)
    ct.store(positions, index=(row,), tile=ct.min(candidates, axis=1))
