import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int16", "shape": (32,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    v1 = ct.load(x0, (0,), (32,)).reshape((4, 8)).astype(ct.int32)
    ct.store(x0, (0,), ct.cumsum(v1, axis=1).astype(ct.int16).reshape((32,)))
