def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    result = k.partition(k.array(target, [n], [1]), [16])
    x, token = k.load(view, [block])
    condition = k.cmpi(k.constant("i32", 2), k.constant("i32", 2), to="i1")
    then, other, _ = k.if_(k.xori(condition, k.constant("i1", True)))
    with then:
        k.store(x, result, [block], token)
        k.end("return")
    with other:
        k.store(x, view, [block], token)
        k.end("yield")


# EQUAL: early-return integer-constants branch-taken
