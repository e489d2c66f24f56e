"""What is left of the public language: functions behind operators, views, raw memory, bytes, hints to the compiler."""

import cuda.tile as ct


@ct.kernel
def named_operators(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.pow(ct.negative(a), 2.0) + ct.floordiv(a, 3.0) * ct.mod(a, 5.0)
    c = ct.where(ct.less(a, b), a, b)
    c = ct.where(ct.less_equal(c, 1.0), c, -1.0)
    c = ct.where(ct.greater(c, a), c * 2.0, c)
    c = ct.where(ct.greater_equal(c, b), c + 1.0, c)
    c = ct.where(ct.equal(c, 0.0), c, ct.where(ct.not_equal(c, 3.0), c, 4.0))
    ct.store(y, (i,), ct.astype(c, ct.float32))


@ct.kernel
def named_bits(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.bitwise_or(ct.bitwise_and(a, 0x0F), ct.bitwise_xor(a, 0x3C))
    b = ct.bitwise_lshift(ct.bitwise_not(b), 3) + ct.bitwise_rshift(a, 2)
    q, r = divmod(b, 7)
    u, v = ct.divmod(a, 5)
    ct.store(y, (i,), q + r + u * v)


@ct.kernel
def shapes_of_tiles(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (N, N))
    b = a.extract((0, 0), (N // 2, N // 2)).astype(a.dtype)
    c = a.insert((1, 1), b).permute((1, 0)).transpose()
    ct.static_assert(a.ndim == 2 and a.shape[0] == N and x.ndim == 2, "a square")
    ct.store(y, (i, 0), ct.reshape(c, (N, N)) + ct.num_blocks(0))


@ct.kernel
def products_of_tiles(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    left, right = ct.load(a, (0, 0), (M, K)), ct.load(b, (0, 0), (K, N))
    ct.store(c, (0, 0), ct.matmul(left, right))


@ct.kernel
def bytes_of_tiles(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    raw = ct.pack_to_bytes(ct.load(x, (i,), (N,)))
    ct.store(y, (i,), ct.unpack_from_bytes(raw ^ 0x80, y.dtype))


@ct.kernel
def at_compile_time(x, y, N: ct.Constant[int]):
    i = ct.assume_divisible_by(ct.bid(0), 2)
    a = ct.load(x, (i,), (N,))
    if ct.ensure_constant(N > 512):
        raise ct.static_exception(ValueError("too large"))
    b = ct.static_eval(a + 1 if N % 2 == 0 else a - 1)
    ct.store(y, (i,), b * ct.astile(2.5, dtype=ct.float32))


@ct.kernel
def small_table(x, y, N: ct.Constant[int]):
    ct.store(y, (0,), ct.load(x, (0,), (4,)) + ct.astile((1.0, 3.0, 2.0, 5.0), dtype=ct.float32))


@ct.kernel
def choices(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,), padding_mode=ct.PaddingMode.UNDETERMINED, memory_order=ct.MemoryOrder.WEAK)
    b = ct.add(a, 1.0, rounding_mode=ct.RoundingMode.RN)
    ct.store(y, (i,), b, memory_order=ct.MemoryOrder.WEAK, memory_scope=ct.MemoryScope.NONE)


@ct.kernel
def ties_away(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.store(y, (i,), a.astype(y.dtype, rounding_mode=ct.RoundingMode.RA))


@ct.kernel
def scopes(x, counts, N: ct.Constant[int]):
    i = ct.bid(0)
    v = ct.load(x, (i,), (N,))
    old = ct.atomic_add(counts, i, ct.sum(v), memory_order=ct.MemoryOrder.ACQ_REL, memory_scope=ct.MemoryScope.BLOCK)
    ct.atomic_max(counts, i + 1, old, memory_order=ct.MemoryOrder.RELAXED, memory_scope=ct.MemoryScope.SYS)


@ct.kernel
def exchange_tiles(x, expected, y, N: ct.Constant[int]):
    at = ct.arange(N, dtype=ct.int32) + ct.bid(0) * N
    e = ct.load(expected, (ct.bid(0),), (N,))
    ct.scatter(y, at, ct.atomic_cas(x, at, e, e + 1))


@ct.kernel
def views_of_tiles(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    view = x.tiled_view((N,))
    out = y.tiled_view(view.tile_shape, traversal_steps=view.traversal_steps)
    out.store((i,), view.load((i,)).astype(view.dtype))


@ct.kernel
def view_updates(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    v = ct.load(x, (i,), (N,))
    out = y.tiled_view((N,))
    out.atomic_store_add((i,), v)
    out.atomic_store_max((i,), v)
    out.atomic_store_min((i,), v)
    out.atomic_store_and((i,), v)
    out.atomic_store_or((i,), v)
    out.atomic_store_xor((i,), v)


@ct.kernel
def view_sums(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    out = y.tiled_view((N,))
    out.atomic_store_add((i,), ct.load(x, (i,), (N,)))


@ct.kernel
def raw(x, y, N: ct.Constant[int]):
    at = ct.arange(N, dtype=ct.int32) * 3
    source, target = x.get_raw_memory(), y.get_raw_memory()
    a = source.load_offset(at, mask=at < 100, padding_value=7)
    target.store_offset(at + 1, a.astype(target.dtype), mask=at < 90)


@ct.kernel
def raw_atomics(x, y, N: ct.Constant[int]):
    at = ct.arange(N, dtype=ct.int32)
    memory = x.get_raw_memory()
    old = memory.atomic_add_offset(at, 1) + memory.atomic_max_offset(at, 5) + memory.atomic_min_offset(at, 3)
    old = old + memory.atomic_and_offset(at, 6) + memory.atomic_or_offset(at, 9) + memory.atomic_xor_offset(at, 2)
    old = old + memory.atomic_xchg_offset(at, 8) + memory.atomic_cas_offset(at, 4, 1)
    ct.store(y, (0,), old)


@ct.kernel
def foreign(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    pointer = x.foreign_pointer
    view = ct.Array.from_foreign(pointer, x.shape, x.strides)
    ct.store(y, (i,), ct.load(view, (i,), (N,)))


@ct.kernel
def reshaped_by_pointer(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    view = ct.Array.from_foreign(x.foreign_pointer, (x.shape[0] // N, N), (N, 1))
    ct.store(y, (i,), ct.load(view, (i, 0), (1, N)).reshape((N,)))


@ct.kernel
def several_values(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.printf("block %d of %d has %f\n", i, ct.num_blocks(0), a)
    ct.store(y, (i,), a)


@ct.kernel
def labelled_values(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.print(f"a={a}", i)
    print("sum", ct.sum(a))
    ct.store(y, (i,), a)


@ct.kernel
def dependent_launch(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    ct.grid_dependency_control_launch_dependents()
    ct.grid_dependency_control_wait()
    ct.store(y, (i,), ct.load(x, (i,), (N,)))


@ct.kernel
def far(x: ct.IndexedWithInt64, y: ct.IndexedWithInt64, start: ct.ScalarInt64, N: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.arange(N, dtype=ct.int64) + start + x.shape[0] // 2
    ct.scatter(y, at, ct.gather(x, at) + ct.load(x, (i,), (N,)))


@ct.kernel
def sub_views(x, y, rows, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    part = x.slice(axis=0, start=rows, stop=x.shape[0]).slice(axis=1, start=N, stop=2 * N)
    ct.store(y.slice(axis=0, start=0, stop=rows), (i, 0), ct.load(part, (i, 0), (M, N)))


@ct.kernel
def tokens_cross(x, y, z, n, N: ct.Constant[int]):
    i = ct.bid(0)
    for j in range(n):
        a = ct.load(x, (j,), (N,))
        if j % 2 == i:
            ct.store(y, (j,), a)
            b = ct.load(z, (j,), (N,))
        else:
            ct.store(z, (j,), a + 1.0)
            b = ct.load(y, (j,), (N,))
        ct.store(x, (j + 1,), b + ct.load(z, (i,), (N,)))


@ct.kernel
def return_in_either(x, y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    if i < n:
        a = ct.load(x, (i,), (N,))
        if ct.max(a) > 0.0:
            ct.store(y, (i,), a)
            return
        a = a - 1.0
    else:
        return
    ct.store(y, (i,), a * 2.0)


@ct.kernel
def continue_and_break(x, y, n, N: ct.Constant[int]):
    acc = ct.zeros((N,), ct.float32)
    for j in range(n):
        if j % 3 == 1:
            continue
        a = ct.load(x, (j,), (N,))
        k = 0
        while k < j:
            k += 2
            if k == 6:
                break
            acc += a * k
    ct.store(y, (0,), acc)


@ct.kernel
def rank_4(x, y, index, N: ct.Constant[int]):
    i = ct.bid(0)
    k = ct.load(index, (i,), ())
    a = ct.load(x, (i, k, 0, 0), (1, 1, N, N))
    ct.store(y, (k, i, 0, 0), ct.permute(a, (1, 0, 3, 2)))


@ct.kernel
def windows_of_rows(x, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    view = x.tiled_view((M, N), traversal_steps=(1, N))
    y.tiled_view((M, N)).store((i, 0), view.load((i, 0)))


@ct.kernel
def mixed_gather(x, index, y, M: ct.Constant[int], N: ct.Constant[int]):
    i = ct.bid(0)
    rows = ct.load(index, (i,), (M,))
    ct.store_advanced_indexing(y, (rows, ct.Slice(N, N)), ct.load_advanced_indexing(x, (rows, ct.Slice(0, N))))


@ct.kernel
def small_floats(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,)).astype(ct.float32)
    ct.store(y, (i,), (a * 0.5).astype(y.dtype))


@ct.kernel
def scaled_product(a, s, b, t, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int], B: ct.Constant[int]):
    x, y = ct.load(a, (0, 0), (M, K)), ct.load(b, (0, 0), (K, N))
    p, q = ct.load(s, (0, 0), (M, K // B)), ct.load(t, (0, 0), (K // B, N))
    ct.store(c, (0, 0), ct.mma_scaled(x, p, y, q, ct.zeros((M, N), ct.float32)))


@ct.kernel
def scaled_bytes(a, s, b, t, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    x = ct.unpack_from_bytes(ct.load(a, (0,), (M * K // 2,)), ct.float4_e2m1fn).reshape((M, K))
    y = ct.unpack_from_bytes(ct.load(b, (0,), (K * N // 2,)), ct.float4_e2m1fn).reshape((K, N))
    p, q = ct.load(s, (0, 0), (M, K // 32)), ct.load(t, (0, 0), (K // 32, N))
    ct.store(c, (0, 0), ct.mma_scaled(x, p, y, q, ct.zeros((M, N), ct.float32)))


@ct.kernel
def lists(xs, ys, n, N: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(n):
        ct.store(ys[k], (i,), ct.load(xs[k], (i,), (N,)) * 2.0)


@ct.kernel
def calls_in_indices(x, y, N: ct.Constant[int]):
    ct.store(x, (0,), ct.zeros((N,), ct.float32))
    ct.store(x, (ct.bid(0) % 2,), ct.ones((N,), ct.float32), allow_tma=False)
    ct.store(y, (ct.bid(1),), ct.load(x, (ct.bid(0) // 3,), (N,), check_bounds=False), allow_tma=False)
