def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    square = k.reshape(x, to="4x4xf32")
    square = k.permute(square, permutation=(1, 0))
    k.store(k.reshape(k.exp(square), to="16xf32"), k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: operand at a:6 b:7
