import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "uint8", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "int32", "shape": (1,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 3),
    },
}


@ct.kernel
def fuzzed(x0, x1, s0):
    found = s0
    for j in range(s0):
        found = ct.load(x0, (j,), ()).astype(ct.int32)
    ct.store(x1, (0,), found.reshape((1,)))
