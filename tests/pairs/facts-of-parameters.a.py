def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    more = k.addi(n, block)
    extent = k.assume(n, DivBy(16))
    x, _ = k.load(k.partition(k.array(source, [extent], [1]), [16]), [more])
    k.store(x, k.partition(k.array(target, [extent], [1]), [16]), [block])
