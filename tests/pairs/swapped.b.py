def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    x, _ = k.load(view, [k.block_id()[0]])
    y = k.exp(x)
    k.store(k.subf(x, y), k.partition(k.array(target, [n], [1]), [16]), [block])


# EQUAL
