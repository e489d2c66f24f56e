def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    x, _ = k.load(view, [block])
    one = k.constant("i32", 1)
    with k.loop(block, results=[block, x]) as loop:
        (i,) = loop.values
        then, other, _ = k.if_(k.cmpi(i, n, to="i1"))
        with then:
            k.end("yield")
        with other:
            k.end("break", i, k.addf(x, k.broadcast(k.reshape(k.itof(i, to="f32"), to="1xf32"), to="16xf32")))
        k.end("continue", k.addi(i, one))
    k.store(loop.results[1], k.partition(k.array(target, [n], [1]), [16]), [loop.results[0]])


# DIFFERS: operation at a:5 b:13
