import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "parameters": {
        "x0": {"kind": "float8_e4m3fn", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "int64", "shape": (8,), "layout": "row", "holds": "values", "index": "int64"},
        "s0": ("int32", 0),
    },
    "seed": 191,
}


@ct.kernel
def fuzzed(x0, x1, s0):
    at = ct.load(x1, (0,), (1,)).reshape(()).astype(ct.uint32) % 8
    if ct.gather(x0, (at,)).astype(ct.float64) * s0.astype(ct.float64) >= 0.0:
        ct.store(x0, (0,), ct.ones((4,), ct.float8_e4m3fn))
