import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    v1 = ct.load(x0, (0,), (8,)) ^ 5
    ct.store(x0, (0,), ct.cumprod(v1, axis=0))
