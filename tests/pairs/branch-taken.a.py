def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    result = k.partition(k.array(target, [n], [1]), [16])
    x, token = k.load(view, [block])
    then, other, (y, behind) = k.if_(k.cmpi(k.constant("i32", 1), k.constant("i32", 2), to="i1"), x, token)
    with then:
        behind_store = k.store(x, result, [block], token)
        k.end("yield", k.addf(x, x), behind_store)
    with other:
        k.end("yield", x, token)
    k.store(y, result, [block], behind)
