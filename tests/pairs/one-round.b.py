def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    view = k.partition(k.array(source, [n], [1]), [16])
    low = k.constant("16xf32", 0.0)
    with k.for_(zero, one, one, low) as loop:
        x, _ = k.load(view, [zero])
        k.end("continue", k.addf(loop.values[0], x))
    k.store(loop.results[0], k.partition(k.array(target, [n], [1]), [16]), [block])


# EQUAL: one-round
