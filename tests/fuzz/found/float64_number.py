import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float64", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    ct.store(x0, (0,), ct.full((8,), 0.1, ct.float64))
    ct.store(x0, (1,), ct.full((8,), 1.0, ct.float64) * 0.1)
