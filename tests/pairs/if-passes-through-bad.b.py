def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    zero = k.constant("i32", 0)
    then, other, (same, y) = k.if_(k.cmpi(block, zero, to="i1"), x, x)
    with then:
        k.end("yield", k.exp(x), x)
    with other:
        k.end("yield", x, x)
    k.store(k.addf(y, same), k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: operand at a:11 b:11
