import cuda.tile as ct

LAUNCH = {
    "grid": (3,),
    "parameters": {
        "x0": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (8, 8), "layout": "row", "holds": "values", "index": "int32"},
    },
    "seed": 0,
}


@ct.kernel
def fuzzed(x0, x1):
    i = ct.bid(0)
    v1 = ct.full((4, 8), 1, ct.int32)
    n2 = (i.astype(ct.uint32) + 1).astype(ct.int32) & 3
    while n2 > 0 and (i.astype(ct.bool_) and i.astype(ct.bool_)):
        n2 = n2 - 1
        ct.store_advanced_indexing(x1, (ct.Slice(1, 4), ct.full((8,), 1, ct.int32) & 7), v1.astype(ct.float32))
    ct.store(x0, (0,), v1.astype(ct.float32).reshape((32,)))
