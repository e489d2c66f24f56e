def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16], "Zero"), [block])
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: padding at a:4 b:4
