import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (32,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 2),
    },
}


@ct.kernel
def fuzzed(x0, s0):
    total = ct.arange(4, dtype=ct.int32)
    for j in range(s0 + 3):
        if j * j > s0:
            step = total + j
        else:
            if j == 1:
                ct.store(x0, (1,), total)
                continue
            step = ct.zeros((4,), ct.int32)
        total += step
        ct.store(x0, (0,), total)
    ct.store(x0, (2,), total)
    n = s0 + 5
    while n > 0:
        n = n - 1
        if n == 1:
            step = total * 2
        elif n > s0:
            if n == s0 + 3:
                continue
            step = total
            for k in range(s0):
                step += k
        else:
            if s0 > 1:
                break
            step = total
        ct.store(x0, (n % 2 + 3,), step)
    ct.store(x0, (5,), ct.full((4,), n, ct.int32))
