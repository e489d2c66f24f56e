def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    x = k.reshape(x, to="4x4xf32")
    x = k.permute(x, to="4x4xf32", permutation=(1, 0))
    with k.fold("scan", [x], 0, [FloatAttr(F32, 0)], "4x4xf32") as (a, b):
        k.end("yield", k.addf(a, b))
    y = k.permute(k.folded[0], to="4x4xf32", permutation=(1, 0))
    k.store(k.reshape(y, to="16xf32"), k.partition(k.array(target, [n], [1]), [16]), [block])


# EQUAL: scan-axis permute-chain
