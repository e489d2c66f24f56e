def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    result = k.partition(k.array(target, [n], [1]), [16])
    x, token = k.load(view, [block])
    low, high, one = k.constant("i32", 2), k.constant("i32", 5), k.constant("i32", 1)
    with k.for_(low, high, one, x, token) as loop:
        y, behind = loop.values
        behind = k.store(y, result, [loop.index], behind)
        k.end("continue", k.addf(y, y), behind)
    k.store(loop.results[0], result, [block], loop.results[1])


# DIFFERS: operand at a:8 b:8
