def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    where = k.exti(k.iota(to="16xi32"), to="16xi64", signedness=e.Signedness.Unsigned)
    start, half = k.constant("16xi32", -8388608), k.constant("16xi64", 32)
    high = k.exti(k.xori(k.bitcast(x, to="16xi32"), start), to="16xi64", signedness=e.Signedness.Unsigned)
    words = k.ori(k.shli(high, half), where)
    start, half = k.constant("i32", -8388608), k.constant("i64", 32)

    def number(word):
        top = k.trunci(k.shri(word, half, signedness=e.Signedness.Unsigned), to="i32")
        return k.bitcast(k.xori(top, start), to="f32")

    with k.fold("reduce", [words], 0, [IntAttr(I64, 1)], "i64") as (v, w):
        a, b, p, q = number(v), number(w), k.trunci(v, to="i32"), k.trunci(w, to="i32")
        less = k.cmpf(b, a, to="i1")
        high = k.xori(k.bitcast(k.select(less, a, b, to="f32"), to="i32"), start)
        low = k.exti(k.select(less, p, q, to="i32"), to="i64", signedness=e.Signedness.Unsigned)
        high = k.exti(high, to="i64", signedness=e.Signedness.Unsigned)
        k.end("yield", k.ori(k.shli(high, half), low))
    y = k.itof(k.trunci(k.folded[0], to="i32"), to="f32")
    k.store(k.reshape(k.addf(number(k.folded[0]), y), to="1xf32"), k.partition(k.array(target, [n], [1]), [1]), [block])


# DIFFERS: operation at a:6 b:22
