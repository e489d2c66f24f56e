def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    start, one = k.constant("16xf32", 0.0), k.constant("i32", 1)
    with k.loop(block, start, results=[start]) as loop:
        i, total = loop.values
        x, _ = k.load(view, [i])
        then, other, _ = k.if_(k.cmpi(i, n, to="i1"))
        with then:
            k.end("yield")
        with other:
            k.end("break", total)
        k.end("continue", k.addi(i, one), k.addf(total, x))
    k.store(loop.results[0], k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: order at a:13 b:8
