import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    for j in range(ct.num_tiles(x0, 0, (8,))):
        ct.store(x0, (j % 2,), ct.zeros((4,), ct.float32))
