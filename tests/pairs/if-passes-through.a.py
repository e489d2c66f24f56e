def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    zero = k.constant("i32", 0)
    then, other, (y,) = k.if_(k.cmpi(block, zero, to="i1"), x)
    with then:
        k.end("yield", k.exp(x))
    with other:
        k.end("yield", x)
    k.store(k.addf(y, x), k.partition(k.array(target, [n], [1]), [16]), [block])
