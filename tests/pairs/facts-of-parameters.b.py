def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    n = k.assume(n, DivBy(16))
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [k.addi(n, block)])
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [block])


# EQUAL: facts-of-parameters
