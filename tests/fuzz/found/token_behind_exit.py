import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "int32", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 3),
    },
}


@ct.kernel
def fuzzed(x0, x1, s0):
    n = s0
    while n > 0:
        n = n - 1
        first = ct.load(x0, (n,), (4,))
        ct.store(x1, (0,), first)
        if n == s0 - 3:
            ct.store(x1, (1,), ct.load(x0, (0,), (4,)))
            break
        ct.store(x1, (2,), ct.load(x1, (1,), (4,)))
    ct.store(x0, (0,), ct.full((4,), 7, ct.int32))
