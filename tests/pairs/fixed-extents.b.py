def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    rows, columns = k.extents(k.partition(k.array(source, [24, n], [n, 1]), [16, 16]))
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [k.addi(k.constant("i32", 2), columns)])
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [k.block_id()[0]])


# EQUAL: fixed-extents
