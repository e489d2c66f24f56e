import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("bool_", False),
    },
}


@ct.kernel
def fuzzed(x0, s0):
    ct.store(x0, (0,), ct.broadcast_to((not s0), (8,)).astype(ct.float32))
