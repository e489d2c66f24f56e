def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    x = k.permute(k.reshape(x, to="2x4x2xf32"), to="4x2x2xf32", permutation=(1, 2, 0))
    x = k.permute(x, to="2x2x4xf32", permutation=(2, 1, 0))
    k.store(k.reshape(x, to="16xf32"), k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: attribute at a:5 b:6
