import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "parameters": {
        "x0": {"kind": "int8", "shape": (8,), "layout": "row", "holds": "values", "index": "int64"},
        "x1": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
        "N": 8,
    },
    "seed": 3,
}


def helper1(a, b):
    return b


@ct.kernel
def fuzzed(x0, x1, N: ct.Constant[int]):
    v2 = ct.max(ct.argmax(ct.bitcast(ct.zeros((2, 2, 4), ct.float32), ct.int32), axis=0), axis=0)
    ct.store(x0, (ct.bid(0),), v2.astype(ct.int8))
