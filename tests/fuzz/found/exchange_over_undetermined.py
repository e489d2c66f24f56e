import cuda.tile as ct

LAUNCH = {
    "grid": (3,),
    "parameters": {
        "x0": {"kind": "float16", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (32,), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int64", 0),
    },
    "seed": 0,
}


@ct.kernel
def fuzzed(x0, x1, s0):
    v1 = ct.where(
        ((ct.full((4, 8), 1, ct.int32) + 1) < 1),
        ct.load(x0, (0,), (32,), padding_mode=ct.PaddingMode.ZERO).reshape((4, 8)).astype(ct.int64),
        (-(ct.load(x0, (ct.bid(0),), (4,), padding_mode=ct.PaddingMode.ZERO).reshape((4, 1)).astype(ct.int64) + 1)),
    )
    for _ in range(2):
        ct.atomic_xchg(
            x1,
            ct.arange(8, dtype=ct.int64),
            ct.bitcast(ct.load(x1, (ct.bid(0),), (8,), allow_tma=False).astype(ct.uint32), ct.float32),
        )
    ct.store(x0, (0,), v1.astype(ct.float16).reshape((32,)))
