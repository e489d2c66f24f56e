def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [4]), [block])
    wide = k.broadcast(k.reshape(x, to="1x4x1xf32"), to="1x4x8xf32")
    full = k.broadcast(wide, to="4x4x8xf32")
    k.store(k.reshape(full, to="128xf32"), k.partition(k.array(target, [n], [1]), [128]), [block])


# EQUAL: broadcast-chain
