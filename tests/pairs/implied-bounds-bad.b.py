def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    view = k.partition(k.array(source, [n], [1]), [16])
    with k.for_(zero, n, one, k.constant("16xf32", 0.0)) as loop:
        index = k.assume(loop.index, Bounded(1, None))
        x, _ = k.load(view, [k.addi(index, block)])
        k.end("continue", k.addf(loop.values[0], x))
    k.store(loop.results[0], k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: bound at a:6 b:7
