import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "uint16", "shape": (8, 1), "layout": "row", "holds": "places", "index": "int32"},
        "x2": {"kind": "int32", "shape": (16, 8, 5), "layout": "row", "holds": "values", "index": "int32"},
        "s0": ("int32", 1),
        "s1": ("int32", 4),
    },
    "seed": 34,
}


def helper1(a, b):
    return ct.where(ct.zeros((4,), ct.bool_), a, a)


@ct.kernel
def fuzzed(x0, x1, x2, s0, s1):
    i = ct.bid(0)
    v2 = ct.broadcast_to(ct.gather(x1, (s0, ct.full((1,), 1, ct.int64).item() & 7)), ()).astype(ct.int32)
    if ct.load(x1, (i % 8, 0), ()).astype(ct.bool_):
        x0.tiled_view((2,)).store((0,), ct.load(x0, (s1 % 4,), (2,), padding_mode=ct.PaddingMode.NEG_INF))
        return
    ct.store(x2, (i % 16, i % 8, v2 % 5), v2.reshape((1, 1, 1)), allow_tma=True)
