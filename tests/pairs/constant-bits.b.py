def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    one = k.bitcast(k.constant("16xi32", 0x3F800000), to="16xf32")
    k.store(k.addf(x, one), k.partition(k.array(target, [n], [1]), [16]), [block])


# EQUAL: constant-bits
