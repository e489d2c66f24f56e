import cuda.tile as ct

LAUNCH = {
    "grid": (2,),
    "seed": 1,
    "parameters": {
        "x0": {"kind": "bool_", "shape": (8, 8, 12), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    i = ct.bid(0)
    ct.store(x0, (0, i, 0), ct.load(x0, (i, 1, 0), (1, 1, 8)))
