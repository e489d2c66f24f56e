def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    where = k.iota(to="16xi32")
    with k.fold("reduce", [x, where], 0, [FloatAttr(F32, 0xFF800000), IntAttr(I32, 0)], "f32", "i32") as (a, b, p, q):
        less = k.cmpf(b, a, to="i1")
        k.end("yield", k.select(less, a, b, to="f32"), k.select(less, p, q, to="i32"))
    y = k.itof(k.folded[1], to="f32")
    k.store(k.reshape(k.addf(k.folded[0], y), to="1xf32"), k.partition(k.array(target, [n], [1]), [1]), [block])
