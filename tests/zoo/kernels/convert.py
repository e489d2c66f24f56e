"""Conversions between element types."""

import cuda.tile as ct


@ct.kernel
def chain(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = a.astype(ct.float16).astype(ct.float32) + a.astype(ct.bfloat16).astype(ct.float32)
    c = a.astype(ct.int32) + a.astype(ct.int8).astype(ct.int32) + a.astype(ct.uint16).astype(ct.int32)
    d = c.astype(ct.int64).astype(ct.float32) + c.astype(ct.uint32).astype(ct.float32)
    ct.store(y, (i,), b + c.astype(ct.float32) + d)


@ct.kernel
def booleans(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    m = a > 0
    n = m.astype(ct.int32) + a.astype(ct.int32).astype(ct.bool_).astype(ct.int32)
    ct.store(y, (i,), n.astype(ct.float32) + m.astype(ct.float32))


@ct.kernel
def bitcast(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    u = ct.bitcast(a, ct.uint32) & 0x7FFFFFFF
    ct.store(y, (i,), ct.bitcast(u, ct.float32))


@ct.kernel
def round_to(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.store(y, (i,), a.astype(y.dtype))


@ct.kernel
def promote(x, n, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    k = ct.load(n, (i,), (N,))
    ct.store(y, (i,), (a + k) / k + 1)
