"""Views, gathers, scatters and atomics."""

import cuda.tile as ct


@ct.kernel
def paddings(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(x, (i,), (N,), padding_mode=ct.PaddingMode.NEG_INF)
    c = ct.load(x, (i,), (N,), padding_mode=ct.PaddingMode.POS_INF)
    d = ct.load(x, (i,), (N,), padding_mode=ct.PaddingMode.NAN)
    e = ct.load(x, (i,), (N,), padding_mode=ct.PaddingMode.NEG_ZERO)
    ct.store(y, (i,), ct.maximum(a, b) + ct.minimum(c, d) + e)


@ct.kernel
def hints(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,), latency=3) + ct.load(x, (i + 1,), (N,), allow_tma=False)
    ct.store(y, (i,), a, latency=2, allow_tma=False)


@ct.kernel
def in_bounds(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (N,), check_bounds=False), check_bounds=False)


@ct.kernel
def transpose(x, y, N: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (j, i), ct.load(x, (j, i), (N, N), order="F"))


@ct.kernel
def transpose_store(x, y, N: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (i, j), ct.load(x, (i, j), (N, N)), order="F")


@ct.kernel
def scalar_loads(x, n, y, N: ct.Constant[int]):
    i = ct.bid(0)
    count = ct.load(n, (i,), ())
    first = ct.gather(n, 0)
    ct.store(y, (i,), ct.load(x, (count + first,), (N,)))


@ct.kernel
def tiled(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    view = x.tiled_view((N,), padding_mode=ct.PaddingMode.ZERO)
    acc = ct.zeros((N,), ct.float32)
    for j in range(view.num_tiles(0)):
        acc += view.load((j,))
    y.tiled_view((N,)).store((i,), acc)


@ct.kernel
def windows(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    view = x.tiled_view((N,), traversal_steps=(4,))
    ct.store(y, (i,), view.load((i,)))


@ct.kernel
def slices(x, y, start, stop, N: ct.Constant[int]):
    i = ct.bid(0)
    part = x.slice(axis=0, start=start, stop=stop)
    ct.store(y, (i,), ct.load(part, (i,), (N,), padding_mode=ct.PaddingMode.ZERO))


@ct.kernel
def gather_3d(x, y, A: ct.Constant[int], B: ct.Constant[int], C: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.arange(A, dtype=ct.int32)[:, None, None] + i
    b = ct.arange(B, dtype=ct.int32)[None, :, None]
    c = ct.arange(C, dtype=ct.int32)[None, None, :]
    ct.scatter(y, (a, b, c), ct.gather(x, (a, b, c), padding_value=1.0) * 2.0)


@ct.kernel
def gather_unchecked(x, index, y, N: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.load(index, (i,), (N,))
    ct.scatter(y, at, ct.gather(x, at, check_bounds=False), check_bounds=False)


@ct.kernel
def gather_long(x, index, y, N: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.load(index, (i,), (N,)).astype(ct.int64)
    ct.store(y, (i,), ct.gather(x, at, latency=4))


@ct.kernel
def gather_rows(x, index, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    rows = ct.load(index, (i,), (M,))
    a = ct.load_advanced_indexing(x, (rows, ct.Slice(0, N)))
    ct.store_advanced_indexing(y, (rows, ct.Slice(0, N)), a + 1.0)


@ct.kernel
def atomics(x, index, counts, N: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.load(index, (i,), (N,))
    v = ct.load(x, (i,), (N,))
    old = ct.atomic_add(counts, at, v)
    old = old + ct.atomic_max(counts, at, old) + ct.atomic_min(counts, at, v)
    old = old + ct.atomic_and(counts, at, v) + ct.atomic_or(counts, at, v) + ct.atomic_xor(counts, at, v)
    ct.store(x, (i,), old + ct.atomic_xchg(counts, at, v))


@ct.kernel
def atomic_floats(x, sums, N: ct.Constant[int]):
    i = ct.bid(0)
    v = ct.load(x, (i,), (N,))
    ct.atomic_add(sums, 0, ct.sum(v), memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def spin_lock(lock, x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    while ct.atomic_cas(lock, 0, 0, 1) == 1:
        pass
    a = ct.load(y, (0,), (N,))
    ct.store(y, (0,), a + ct.load(x, (i,), (N,)))
    ct.atomic_xchg(lock, 0, 0)


@ct.kernel
def ordered(x, flag, y, N: ct.Constant[int]):
    i = ct.bid(0)
    ready = ct.load(flag, (0,), (1,), memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=ct.MemoryScope.DEVICE)
    a = ct.load(x, (i,), (N,)) + ready
    ct.store(y, (i,), a, memory_order=ct.MemoryOrder.RELEASE, memory_scope=ct.MemoryScope.SYS)


@ct.kernel
def rank_5(x, y, N: ct.Constant[int]):
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    ct.store(y, (i, j, k, 0, 0), ct.load(x, (i, j, k, 0, 0), (1, 1, 1, N, N)))


@ct.kernel
def strides(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (1, N)).reshape((N,))
    ct.store(y, (i,), a + x.strides[0] + x.shape[1])
