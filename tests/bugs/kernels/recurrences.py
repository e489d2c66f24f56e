"""Gated recurrences, each with one public fault: `RIGHT` chooses the form, `# wrong` marks the fault."""

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def gated_delta(q, k, v, gates, beta, out, SIZE: ct.Constant[int], WIDTH: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Gated delta rule, token by token; values have fewer than `WIDTH` columns, gates are in single precision."""
    head = ct.bid(0)
    columns = ct.arange(WIDTH, dtype=ct.int32)[None, :]
    state = ct.zeros((SIZE, WIDTH), dtype=ct.float32)
    for t in range(q.shape[1]):
        query = ct.load(q, index=(head, t, 0), shape=(1, 1, SIZE)).reshape((SIZE, 1)).astype(ct.float32)
        key = ct.load(k, index=(head, t, 0), shape=(1, 1, SIZE)).reshape((SIZE, 1)).astype(ct.float32)
        value = ct.load(v, index=(head, t, 0), shape=(1, 1, WIDTH), padding_mode=ZERO).astype(ct.float32)
        gate = ct.gather(gates, (head, t))
        if not RIGHT:
            gate = gate.astype(v.dtype).astype(ct.float32)
        state = state * ct.exp(gate)
        expected = ct.sum(state * key, axis=0, keepdims=True)
        state = state + key * (ct.gather(beta, (head, t)) * (value.reshape((1, WIDTH)) - expected))
        result = ct.sum(state * query, axis=0, keepdims=True)
        if RIGHT:
            ct.store(out, index=(head, t, 0), tile=result.reshape((1, 1, WIDTH)))
        else:
            ct.scatter(out, (head, t, columns), result, check_bounds=False)  # wrong


@ct.kernel
def decayed_sum(x, gates, y, LENGTH: ct.Constant[int], SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Write y[t] = sum over s <= t of exp(gates[s + 1] + ... + gates[t]) x[s] to `y`, one chunk a block."""
    chunk = ct.bid(0)
    value = ct.load(x, index=(chunk, 0, 0), shape=(1, LENGTH, SIZE)).reshape((LENGTH, SIZE))
    level = ct.cumsum(ct.load(gates, index=(chunk, 0), shape=(1, LENGTH)).reshape((LENGTH,)), axis=0)
    place = ct.arange(LENGTH, dtype=ct.int32)
    if RIGHT:
        decay = ct.exp(ct.where(place[None, :] <= place[:, None], level[:, None] - level[None, :], 0.0))
    else:
        decay = ct.exp(level)[:, None] * ct.exp(-level)[None, :]
    decay = ct.where(place[None, :] <= place[:, None], decay, 0.0)
    result = ct.mma(decay, value, ct.zeros((LENGTH, SIZE), dtype=ct.float32))
    ct.store(y, index=(chunk, 0, 0), tile=result.reshape((1, LENGTH, SIZE)))
