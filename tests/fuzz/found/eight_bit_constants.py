import cuda.tile as ct

LAUNCH = {
    "grid": (4,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "float32", "shape": (24,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    i = ct.bid(0)
    a = ct.full((4,), 1.5, ct.float8_e4m3fn)
    b = ct.full((4,), -0.25, ct.float8_e5m2)
    c = ct.where(ct.load(x0, (i,), (4,)) > 0.0, a, ct.zeros((4,), ct.float8_e4m3fn))
    ct.store(
        x0, (i,), c.astype(ct.float32) + b.astype(ct.float32) + ct.full((), 2.0, ct.float8_e5m2).astype(ct.float32)
    )
