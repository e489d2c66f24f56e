def kernel(k):
    source, target, n = k.parameters("ptr<i16>", "ptr<i16>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    wide = k.exti(x, to="16xi32", signedness=e.Signedness.Signed)
    with k.fold("reduce", [wide], 0, [IntAttr(I32, -(1 << 31))], "i32") as (a, b):
        k.end("yield", k.maxi(a, b))
    k.store(
        k.reshape(k.trunci(k.folded[0], to="i16"), to="1xi16"), k.partition(k.array(target, [n], [1]), [1]), [block]
    )


# EQUAL: narrow-fold
