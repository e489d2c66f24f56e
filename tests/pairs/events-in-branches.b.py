def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    counter, one = k.offset(source, n), k.constant("f32", 1.0)
    old, _ = k.atomic(counter, one)
    then, other, _ = k.if_(k.cmpi(block, n, to="i1"))
    with then:
        again, _ = k.atomic(counter, one)
        k.store_pointers(k.offset(target, n), k.subf(old, again))
        k.end("yield")
    with other:
        k.end("yield")


# EQUAL
