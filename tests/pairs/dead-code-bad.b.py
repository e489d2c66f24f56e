def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    with k.for_(zero, n, one, x) as loop:
        k.end("continue", k.addf(loop.values[0], x))
    k.store(k.exp(loop.results[0]), k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: operand at a:5 b:8
