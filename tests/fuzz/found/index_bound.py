import cuda.tile as ct

LAUNCH = {
    "grid": (3,),
    "parameters": {
        "x0": {"kind": "uint32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "N": 16,
    },
    "seed": 254,
}


@ct.kernel
def fuzzed(x0, x1, N: ct.Constant[int]):
    i = ct.bid(0)
    v1 = i
    for i2 in range(ct.num_tiles(x1, 0, (8,))):
        x0.tiled_view((4,)).atomic_store_max(
            (i2 % 2,), ct.extract(ct.reshape(ct.transpose(ct.full((8, 1), 7, ct.uint32)), (8,)), (0,), (4,))
        )
    if not ct.zeros((1,), ct.bool_).item():
        pair3 = (i, ct.prod(ct.zeros((8,), ct.int32), axis=0))
        v4 = pair3[0]
    elif ct.full((), False, ct.bool_):
        v5 = ct.broadcast_to(i, (8,))
    else:
        v1 = i
    v6 = i
    ct.store(x1, (v1 % 8,), v6.astype(ct.float32).reshape((1,)), check_bounds=False)
    ct.store(x0, (ct.bid(0),), v1.astype(ct.uint32).reshape((1,)))
