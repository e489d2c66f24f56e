import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "int32", "shape": (2,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 3),
    },
}


@ct.kernel
def fuzzed(x0, x1, s0):
    largest = ct.load(x0, (0,), ()).astype(ct.int32) // 2
    for j in range(s0):
        largest = ct.maximum(j, 1)
    ct.store(x1, (0,), largest.reshape((1,)))
    last = -(s0 + 1)
    n = s0 & 3
    while n > 0:
        n = n - 1
        if (n + 1) // 2 < 1:
            break
        last = n + 1
    ct.store(x1, (1,), last.reshape((1,)))
