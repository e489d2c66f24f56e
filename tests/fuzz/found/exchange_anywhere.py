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
    places = ct.arange(8, dtype=ct.int32)
    somewhere = ct.atomic_xchg(x0, ct.zeros((4,), ct.int32), ct.arange(4, dtype=ct.float32)).astype(ct.int32)
    ct.atomic_xchg(x0, ct.insert(places, (1,), somewhere), ct.arange(8, dtype=ct.float32))
