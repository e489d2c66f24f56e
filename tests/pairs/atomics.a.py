def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    counter = k.offset(source, k.constant("i32", 1))
    one = k.constant("f32", 1.0)
    old, after = k.atomic(counter, one)
    again, _ = k.atomic(counter, one, after)
    change = k.subf(again, old)
    full = k.broadcast(k.reshape(change, to="1xf32"), to="16xf32")
    k.store(full, k.partition(k.array(target, [n], [1]), [16]), [block])
