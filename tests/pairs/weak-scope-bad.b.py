def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    view = k.partition(k.array(source, [n], [1]), [16])
    order, scope = e.MemoryOrderingSemantics.RELAXED, e.MemoryScope.TL_BLK
    x, _ = k.load(view, [block], memory_ordering_semantics=order, memory_scope=scope)
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [block])


# DIFFERS: attribute at a:4 b:6
