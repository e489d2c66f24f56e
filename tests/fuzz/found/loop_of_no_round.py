import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    for j in range(2, 4):
        if j < 2:
            ct.store(x0, (0,), ct.zeros((4,), ct.int32))
        ct.store(x0, (j,), ct.ones((4,), ct.int32))
