"""Making and rearranging tiles, and matrix products of every kind."""

import cuda.tile as ct


@ct.kernel
def rearrange(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (N, N))
    b = ct.permute(a, (1, 0)) + ct.transpose(a)
    c = ct.expand_dims(b, 0).reshape((N, N))
    ct.store(y, (i, 0), ct.broadcast_to(ct.sum(c, axis=1, keepdims=True), (N, N)) + a)


@ct.kernel
def join_and_cut(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (N, N))
    both = ct.cat((a, a * 2.0), axis=1)
    left = ct.extract(both, (0, 1), (N, N))
    ct.store(y, (i, 0), left)


@ct.kernel
def put_in(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (N, N))
    ct.store(y, (i, 0), ct.insert(a, (1, 1), ct.zeros((N // 2, N // 2), ct.float32)))


@ct.kernel
def item(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    n = ct.load(x, (i,), (1,)).item()
    ct.store(y, (i,), ct.full((N,), n, ct.float32) + ct.arange(N, dtype=ct.float32, start=2, step=3))


@ct.kernel
def accumulate(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((M, N), ct.float32)
    for k in range(ct.num_tiles(a, 1, (M, K))):
        acc = ct.mma(ct.load(a, (i, k), (M, K)), ct.load(b, (k, j), (K, N)), acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@ct.kernel
def double_product(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, (i, j), ct.mma(ct.load(a, (i, 0), (M, K)), ct.load(b, (0, j), (K, N)), ct.zeros((M, N), ct.float64)))


@ct.kernel
def tensor_float(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((M, N), ct.float32)
    for k in range(ct.num_tiles(a, 1, (M, K))):
        left = ct.load(a, (i, k), (M, K)).astype(ct.tfloat32)
        acc = ct.mma(left, ct.load(b, (k, j), (K, N)).astype(ct.tfloat32), acc)
    ct.store(c, (i, j), acc)


@ct.kernel
def integer_product(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((M, N), ct.int32)
    ct.store(c, (i, j), ct.mma(ct.load(a, (i, 0), (M, K)), ct.load(b, (0, j), (K, N)), acc))


@ct.kernel
def at_operator(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, (i, j), ct.load(a, (i, 0), (M, K)) @ ct.load(b, (0, j), (K, N)))


@ct.kernel
def batched(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((2, M, N), ct.float32)
    ct.store(c, (i, 0, 0), ct.mma(ct.load(a, (i, 0, 0), (2, M, K)), ct.load(b, (i, 0, 0), (2, K, N)), acc))


@ct.kernel
def debug(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.assert_(a < 100.0, "too large")
    ct.printf("block %d", i)
    ct.store(y, (i,), a)
