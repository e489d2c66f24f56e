import cuda.tile as ct

LAUNCH = {
    "grid": (4,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int32", "shape": (24,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 2),
        "s1": ("int32", 1),
    },
}


@ct.kernel
def fuzzed(x0, s0, s1):
    i = ct.bid(0)
    y = ct.zeros((4,), ct.int32)
    if i < s0:
        ct.store(x0, (i,), ct.ones((4,), ct.int32))
        return
    else:
        y = ct.load(x0, (i,), (4,))
    ct.store(x0, (i,), y + 1)
