"""Attention, each kernel with one public fault: `RIGHT` chooses the form, `# wrong` marks the fault.

All keys fit into one tile, so that softmax needs no walk; queries and heads are spread over blocks.
"""

import math

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


def masked_softmax(scores, key_count, KEYS: ct.Constant[int]):
    """Return weights, peak and total of (queries, keys) scores, of which the first `key_count` columns count."""
    keys = ct.arange(KEYS, dtype=ct.int32)[None, :]
    scores = ct.where(keys < key_count, scores, -math.inf)
    peak = ct.max(scores, axis=1, keepdims=True)
    weights = ct.exp(scores - peak)
    return weights, peak, ct.sum(weights, axis=1, keepdims=True)


@ct.kernel
def decode(q, k, v, out, KEYS: ct.Constant[int], SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Attention of one query a head; the last tile of keys is nearly empty."""
    head = ct.bid(0)
    query = ct.load(q, index=(head, 0), shape=(1, SIZE))
    keys = ct.load(k, index=(head, 0, 0), shape=(1, KEYS, SIZE)).reshape((KEYS, SIZE))
    scores = ct.sum(keys * query, axis=1).reshape((1, KEYS))
    weights, _, total = masked_softmax(scores, k.shape[1], KEYS)
    if RIGHT:
        values = ct.load(v, index=(head, 0, 0), shape=(1, KEYS, SIZE), padding_mode=ZERO)
    else:
        values = ct.load(v, index=(head, 0, 0), shape=(1, KEYS, SIZE))  # wrong
    result = ct.sum(values.reshape((KEYS, SIZE)) * weights.reshape((KEYS, 1)), axis=0, keepdims=True)
    ct.store(out, index=(head, 0), tile=result / total)


@ct.kernel
def prefill(q, k, v, out, lse, TILE: ct.Constant[int], SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Attention of `TILE` queries to as many keys; the last tile of queries is partial. Two outputs."""
    i, head = ct.bid(0), ct.bid(1)
    queries = ct.load(q, index=(head, i, 0), shape=(1, TILE, SIZE), padding_mode=ZERO).reshape((TILE, SIZE))
    keys = ct.load(k, index=(head, 0, 0), shape=(1, TILE, SIZE), padding_mode=ZERO).reshape((TILE, SIZE))
    values = ct.load(v, index=(head, 0, 0), shape=(1, TILE, SIZE), padding_mode=ZERO).reshape((TILE, SIZE))
    scores = ct.mma(queries, keys.transpose(), ct.zeros((TILE, TILE), dtype=ct.float32))
    weights, peak, total = masked_softmax(scores, k.shape[1], TILE)
    result = ct.mma(weights, values, ct.zeros((TILE, SIZE), dtype=ct.float32)) / total
    sums = (peak + ct.log(total)).reshape((TILE,))
    if RIGHT:
        ct.store(out, index=(head, i, 0), tile=result.reshape((1, TILE, SIZE)))
        ct.store(lse, index=(head, i), tile=sums.reshape((1, TILE)))
    else:
        rows = i * TILE + ct.arange(TILE, dtype=ct.int32)
        columns = ct.arange(SIZE, dtype=ct.int32)[None, :]
        ct.scatter(out, (head, rows[:, None], columns), result, check_bounds=False)  # wrong
        ct.scatter(lse, (head, rows), sums, check_bounds=False)  # wrong


@ct.kernel
def ragged_keys(q, k, v, out, KEYS: ct.Constant[int], SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Attention of one query a head to a number of keys that no tile divides."""
    head = ct.bid(0)
    query = ct.load(q, index=(head, 0), shape=(1, SIZE))
    rows = ct.arange(KEYS, dtype=ct.int32)[:, None]
    columns = ct.arange(SIZE, dtype=ct.int32)[None, :]
    if RIGHT:
        keys = ct.gather(k, (head, rows, columns))
        values = ct.gather(v, (head, rows, columns))
    else:
        keys = ct.gather(k, (head, rows, columns), check_bounds=False)  # wrong
        values = ct.gather(v, (head, rows, columns), check_bounds=False)  # wrong
    scores = ct.sum(keys * query, axis=1).reshape((1, KEYS))
    weights, _, total = masked_softmax(scores, k.shape[1] if RIGHT else KEYS, KEYS)
    result = ct.sum(values * weights.reshape((KEYS, 1)), axis=0, keepdims=True)
    ct.store(out, index=(head, 0), tile=result / total)


@ct.kernel
def grouped_queries(q, k, out, group, WIDTH: ct.Constant[int], SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Scale the `group` queries that share a key by that key, in a tile of `WIDTH` queries."""
    shared = ct.bid(0)
    within = ct.arange(WIDTH, dtype=ct.int32)[:, None]
    columns = ct.arange(SIZE, dtype=ct.int32)[None, :]
    rows = shared * group + within
    key = ct.load(k, index=(shared, 0), shape=(1, SIZE))
    result = ct.gather(q, (rows, columns), mask=within < group) * key
    if RIGHT:
        ct.scatter(out, (rows, columns), result, mask=within < group)
    else:
        ct.scatter(out, (rows, columns), result)  # wrong


@ct.kernel
def sink(q, k, v, sinks, out, KEYS: ct.Constant[int], SIZE: ct.Constant[int], RIGHT: ct.Constant[bool]):
    """Attention of one query a head with a sink: a logit that takes weight and has no value."""
    head = ct.bid(0)
    query = ct.load(q, index=(head, 0), shape=(1, SIZE))
    keys = ct.load(k, index=(head, 0, 0), shape=(1, KEYS, SIZE), padding_mode=ZERO).reshape((KEYS, SIZE))
    values = ct.load(v, index=(head, 0, 0), shape=(1, KEYS, SIZE), padding_mode=ZERO).reshape((KEYS, SIZE))
    scores = ct.sum(keys * query, axis=1).reshape((1, KEYS))
    weights, peak, total = masked_softmax(scores, k.shape[1], KEYS)
    if RIGHT:
        total = total + ct.exp(ct.gather(sinks, head) - peak)
    result = ct.sum(values * weights.reshape((KEYS, 1)), axis=0, keepdims=True)
    ct.store(out, index=(head, 0), tile=result / total)
