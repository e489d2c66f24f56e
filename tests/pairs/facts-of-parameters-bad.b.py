def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    n = k.assume(n, DivBy(16))
    n = k.assume(n, Bounded(0, None))
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [k.addi(n, block)])
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: bound at a:5 b:4
