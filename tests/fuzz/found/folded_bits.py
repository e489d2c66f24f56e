import cuda.tile as ct

LAUNCH = {
    "grid": (1, 1),
    "parameters": {
        "x0": {"kind": "int32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (8, 8, 8), "layout": "row", "holds": "values", "index": "int64"},
        "x2": {"kind": "int32", "shape": (5, 8, 8), "layout": "row", "holds": "values", "index": "int32"},
        "N": 8,
    },
    "seed": 1,
}


def helper1(a):
    return ct.where(
        ct.zeros((1, 8), ct.bool_), ct.where(ct.full((4, 1), False, ct.bool_), a, ct.ones((4, 1), ct.int32)), a
    )


@ct.kernel
def fuzzed(x0, x1, x2, N: ct.Constant[int]):
    i = ct.bid(0)
    v2 = ct.full((), 3, ct.int8)
    for _ in range(ct.bid(0) + 1):
        v2 = v2
    if ct.where(
        ct.broadcast_to(
            ct.gather(
                x2,
                ((i - 3) & 7, v2.astype(ct.uint32) & 7, v2.astype(ct.int32)),
                mask=ct.astype(i, ct.bool_),
                padding_value=1,
                latency=4,
            ),
            (),
        ).astype(ct.bool_),
        ct.full((), False, ct.bool_),
        (ct.zeros((), ct.bool_) if v2.astype(ct.bool_) else ct.ones((), ct.bool_)),
    ):
        v2 = v2
    ct.store(x2, (ct.bid(0), ct.bid(1), ct.bid(2)), v2.astype(ct.int32).reshape((1, 1, 1)), allow_tma=False)
