def kernel(k):
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    zero = k.constant("i32", 0)
    holds = k.cmpi(zero, zero, to="i1", comparison_predicate=e.ComparisonPredicate.GREATER_THAN_OR_EQUAL)
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    then, other, _ = k.if_(k.andi(holds, k.cmpi(block, n, to="i1")))
    with then:
        k.store(x, k.partition(k.array(target, [n], [1]), [16]), [block])
        k.end("yield")
    with other:
        k.end("yield")
