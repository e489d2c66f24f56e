import cuda.tile as ct

LAUNCH = {
    "grid": (1,),
    "seed": 0,
    "parameters": {
        "x0": {"kind": "uint32", "shape": (16,), "layout": "row", "holds": "values", "index": "int32"},
        "x1": {"kind": "float32", "shape": (8,), "layout": "row", "holds": "values", "index": "int32"},
    },
}


@ct.kernel
def fuzzed(x0, x1):
    for i in range(ct.num_tiles(x1, 0, (8,))):
        x0.tiled_view((4,)).atomic_store_max((i % 2,), ct.full((4,), 7, ct.uint32))
