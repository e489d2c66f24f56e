import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "bool_", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "int32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0, x1):
    v1 = ct.load(x0, (0,), (16,)).reshape((4, 4)).astype(ct.int32)
    ct.store(x1, (0,), ct.argmax(v1, axis=0))
