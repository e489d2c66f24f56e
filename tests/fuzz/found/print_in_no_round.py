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
    for _i in range(2, 2):
        ct.printf("block %d", ct.bid(0))
    ct.store(x0, (0,), ct.ones((8,), ct.float32))
