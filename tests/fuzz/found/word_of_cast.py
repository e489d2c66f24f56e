import cuda.tile as ct

LAUNCH = {
    "grid": (1, 1),
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (5,), "layout": "row", "holds": "values", "index": "int32"},
        "x2": {"kind": "float32", "shape": (5, 8), "layout": "row", "holds": "values", "index": "int32"},
    },
    "seed": 672,
}


@ct.kernel
def fuzzed(x0, x1, x2):
    v3 = ct.bitcast(
        ct.cumprod(ct.bitcast(ct.load(x2, (0, 0), (4, 8), padding_mode=ct.PaddingMode.NEG_INF), ct.uint32), axis=0),
        ct.int32,
    )
    ct.store(x0, (ct.bid(0),), v3.astype(ct.float32).reshape((32,)), allow_tma=False)
