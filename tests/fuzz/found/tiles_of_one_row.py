import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (1, 8), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0, x1):
    v1 = ct.num_tiles(x1, 0, (4, 4))
    ct.store(x0, (max(min(v1, 7), 0),), v1.astype(ct.float32).reshape((1,)))
