def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    view = k.partition(k.array(source, [n], [1]), [16])
    low, high = k.constant("16xf32", 0.0), k.constant("16xf32", 1.0)
    with k.for_(zero, n, one, low, high) as loop:
        x, _ = k.load(view, [loop.index])
        total, again = loop.values
        k.end("continue", k.addf(total, x), k.addf(again, x))
    k.store(k.mulf(*loop.results), k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: operand at a:11 b:11
