def kernel(k):
    target, n, limit = k.parameters("ptr<i32>", "i32", "i32")
    one = k.constant("i32", 1)
    with k.loop(k.constant("i32", 0)) as loop:
        (i,) = loop.values
        then, other, _ = k.if_(k.cmpi(i, limit, to="i1"))
        with then:
            inner, rest, _ = k.if_(k.cmpi(i, n, to="i1"))
            with inner:
                k.end("break", k.subi(i, one))
            with rest:
                k.end("continue", k.addi(i, one))
            k.end("yield")
        with other:
            k.end("break", limit)
        k.end("continue", k.subi(n, i))
    tile = k.broadcast(k.reshape(loop.results[0], to="1xi32"), to="16xi32")
    k.store(tile, k.partition(k.array(target, [n], [1]), [16]), [one])


# EQUAL: never-reached
