"""Arithmetic on integers of every width and sign, booleans, shifts."""

import cuda.tile as ct


@ct.kernel
def arithmetic(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = ct.load(y, (i,), (N,))
    c = a + b * 3 - (-a)
    c = ct.maximum(c, b) + ct.minimum(a, 7)
    ct.store(y, (i,), c)


@ct.kernel
def divide(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.store(y, (i,), a // 5 + a % 5 + ct.cdiv(a, 5) + ct.abs(a))


@ct.kernel
def unsigned_divide(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    ct.store(y, (i,), a % 5 + ct.cdiv(a, 5) + ct.maximum(a, 3))


@ct.kernel
def bits(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = (a & 0x55) | (a ^ 0x2A) | ~a
    ct.store(y, (i,), (b << 2) + (a >> 1))


@ct.kernel
def large_literals(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    b = a ^ ct.full((N,), 0xDEADBEEF, ct.uint32)
    ct.store(y, (i,), b & ct.full((N,), 0xFFFFFFFF, ct.uint32))


@ct.kernel
def compare(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    c = ((a < 3) & (a != 1)) | (a >= 100)
    ct.store(y, (i,), ct.where(c, a, 0))


@ct.kernel
def masks(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    all_true = ct.full((N,), True, ct.bool_)
    none = ct.full((N,), False, ct.bool_)
    ct.store(y, (i,), ct.where((a > 0) & all_true | none, a, -a))


@ct.kernel
def hash_positions(y, seed, N: ct.Constant[int]):
    i = ct.bid(0)
    h = ct.arange(N, dtype=ct.uint32) + seed
    for _ in range(3):
        h = (h ^ (h >> 16)) * 0x45D9F3B
    ct.store(y, (i,), h)
