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
    for i in range(ct.num_tiles(x0, 0, (8,))):
        if ct.broadcast_to((not ct.ones((), ct.bool_)), (1,)).item():
            ct.store(x0, (1,), ct.zeros((1,), ct.int32))
            continue
        ct.store(x0, (i,), ct.ones((1,), ct.int32))
