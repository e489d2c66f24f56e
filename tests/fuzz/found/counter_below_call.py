import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 3),
    },
}


@ct.kernel
def fuzzed(x0, s0):
    for j in range(ct.num_tiles(x0, 0, (8,))):
        if j == ct.sum(ct.load(x0, (j,), (4,))):
            ct.store(x0, (1,), ct.full((4,), 7, ct.int32))
