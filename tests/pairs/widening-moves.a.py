def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    steps = k.iota(to="16xi32")
    many = k.broadcast(k.reshape(k.exti(n, to="i64"), to="1xi64"), to="16xi64")
    wide = k.addi(k.exti(steps, to="16xi64"), many)
    y = k.addf(x, k.itof(wide, to="16xf32"))
    k.store(y, k.partition(k.array(target, [n], [1]), [16]), [block])
