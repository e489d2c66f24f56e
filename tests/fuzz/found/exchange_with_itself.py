import cuda.tile as ct

LAUNCH = {
    "grid": (2,),
    "parameters": {
        "x0": {"kind": "int32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
    },
    "seed": 725,
}


@ct.kernel
def fuzzed(x0):
    i = ct.bid(0)
    ct.atomic_cas(x0, 5, i, i)
