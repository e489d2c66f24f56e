def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    result = k.partition(k.array(target, [n], [1]), [16])
    x, token = k.load(view, [block])
    behind = k.store(x, result, [block], token)
    k.store(k.addf(x, x), result, [block], behind)


# EQUAL: integer-constants branch-taken
