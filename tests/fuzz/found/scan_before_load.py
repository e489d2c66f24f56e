import cuda.tile as ct

LAUNCH = {
    "grid": (2,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    i = ct.bid(0)
    v1 = ct.cumprod(ct.full((4,), i, ct.int32), axis=0)
    ct.store(x0, (i,), v1 + ct.load(x0, (0,), (4,)))
