import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "uint8", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "int8", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "x2": {"kind": "int32", "shape": (64,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0, x1, x2):
    lhs = ct.load(x0, (0,), (8,)).reshape((4, 2)) % 7
    rhs = ct.load(x1, (0,), (16,)).reshape((2, 8))
    ones = ct.full((4, 8), 1, ct.int32)
    ct.store(x2, (0,), (ct.mma(lhs, rhs.astype(ct.uint8) % 3, ones) + 1).reshape((32,)))
    ct.store(x2, (1,), (ct.mma(lhs, rhs, ones) | 1).reshape((32,)))
