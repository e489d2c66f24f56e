def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    result = k.partition(k.array(target, [n], [1]), [16])
    zero, one = k.constant("i32", 0), k.constant("i32", 1)
    with k.for_(zero, n, one, k.constant("16xf32", 0.0)) as loop:
        i, (total,) = loop.index, loop.values
        outer, no, _ = k.if_(k.cmpi(i, block, to="i1"))
        with outer:
            always, never, _ = k.if_(k.cmpi(zero, one, to="i1"))
            with always:
                k.store(total, result, [one])
                k.end("continue", total)
            with never:
                k.end("yield")
            k.store(total, result, [i])
            k.end("yield")
        with no:
            k.end("yield")
        x, _ = k.load(view, [i])
        k.end("continue", k.addf(total, x))
    k.store(loop.results[0], result, [block])
