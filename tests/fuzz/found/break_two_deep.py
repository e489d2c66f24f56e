import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (24,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 2),
    },
}


@ct.kernel
def fuzzed(x0, s0):
    v1 = ct.load(x0, (0,), (8,))
    for _i in range(4):
        if s0 > 1:
            if s0 > 2:
                ct.store(x0, (1,), v1)
                break
        else:
            v1 = v1 + 1
    ct.store(x0, (0,), v1)
