import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float32", "shape": (32,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    v1 = ct.mma(ct.full((8, 2), 1.0, ct.tfloat32), ct.ones((2, 4), ct.tfloat32), ct.zeros((8, 4), ct.float32))
    ct.store(x0, (0,), v1.reshape((32,)))
