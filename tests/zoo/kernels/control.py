"""Loops and branches in every shape that the front end lets through."""

import cuda.tile as ct


@ct.kernel
def branch(x, y, limit, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    if i < limit:
        b = a + 1.0
        c = i * 2
    elif i == limit:
        b = a
        c = i
    else:
        b = a * 2.0
        c = 0
    ct.store(y, (i,), b + c)


@ct.kernel
def early_return(x, y, limit, N: ct.Constant[int]):
    i = ct.bid(0)
    if i >= limit:
        return
    ct.store(y, (i,), ct.load(x, (i,), (N,)))


@ct.kernel
def nested(x, y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((N,), ct.float32)
    for j in range(n):
        for k in range(j, n, 2):
            acc += ct.load(x, (j * n + k,), (N,))
            if k % 3 == 0:
                acc = acc * 0.5
        acc = acc + j
    ct.store(y, (i,), acc)


@ct.kernel
def loop_while(x, y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    steps = 0
    while steps < n and steps * steps < i:
        a = a + 1.0
        steps = steps + 2
    ct.store(y, (i,), a + steps)


@ct.kernel
def loop_break(x, y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    j = 0
    while True:
        if j >= n:
            break
        j += 1
        if j % 2 == 0:
            continue
        a = a + j
    ct.store(y, (i,), a)


@ct.kernel
def for_break(x, y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    for j in range(n):
        if j * j > i:
            break
        a = a * 2.0
    ct.store(y, (i,), a)


@ct.kernel
def split(x, y, n, cut, N: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((N,), ct.float32)
    for j in range(n):
        a = ct.load(x, (j,), (N,))
        if j < cut:
            a = a * 3.0
        acc += a
    ct.store(y, (i,), acc)


@ct.kernel
def short_circuit(x, y, a, b, N: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (N,))
    if (a > 0 and b > a) or not (i < 3):
        t = t + 1.0
    ct.store(y, (i,), t if a < b < 100 else -t)


@ct.kernel
def unrolled(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((N,), ct.float32)
    for k in ct.static_iter(range(4)):
        acc += ct.load(x, (i * 4 + k,), (N,)) * (k + 1)
    ct.store(y, (i,), acc)


@ct.kernel
def two_carried(x, y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    even = ct.zeros((N,), ct.float32)
    odd = ct.ones((N,), ct.float32)
    for j in range(n):
        even, odd = odd, even + ct.load(x, (j,), (N,))
    ct.store(y, (i,), even - odd)


@ct.kernel
def read_modify_write(y, n, N: ct.Constant[int]):
    i = ct.bid(0)
    for j in range(n):
        a = ct.load(y, (i,), (N,))
        ct.store(y, (i,), a + j)


@ct.kernel
def store_in_branch(x, y, flag, N: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, (i,), (N,))
    if flag > 0:
        ct.store(y, (i,), a)
    else:
        ct.store(y, (i + 1,), a)
    b = ct.load(y, (i,), (N,))
    ct.store(x, (i,), b)
