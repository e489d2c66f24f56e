import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "int8", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0):
    ct.scatter(x0, ct.arange(8, dtype=ct.int32), ct.full((8,), -128, ct.int8))
