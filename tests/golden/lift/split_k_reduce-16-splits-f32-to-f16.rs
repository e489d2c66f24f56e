#[cutile::module]
pub mod split_k_reduce {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write `TILE_D` columns of the joint output of head `bid(0)` to `out`.
    #[cutile::entry()]
    pub unsafe fn split_k_reduce(
        parts: &Tensor<f32, { [-1, -1, -1] }>,
        lse: &Tensor<f32, { [-1, -1] }>,
        out: &Tensor<f16, { [-1, -1] }>,
    ) {
        let head = get_tile_block_id().0;
        let j = get_tile_block_id().1;
        // A split that saw no key has lse = -inf; a padded one is given the same, so both weigh nothing.
        let sums = load_neg_inf(lse, [head, 0], shape![1, 16]).reshape(shape![16, 1]);
        let peak = max_along_0(sums, shape![1]).reshape(shape![1, 1]);
        // With no key at all the peak is -inf too, and -inf - -inf is not a number.
        let zero = constant(0.0f32, shape![1, 1]);
        let peak = select(gt_tile(peak, constant_f32(f64::NEG_INFINITY, shape![1, 1])), peak, zero);
        let weights = exp2(sums - peak.broadcast(shape![16, 1]), ftz::Disabled);
        let part = load_zero(parts, [head, 0, j], shape![1, 16, 128]).reshape(shape![16, 128]);
        let total = sum_along_0(weights, shape![1]).reshape(shape![1, 1]);
        let sum = sum_along_0(part * weights.broadcast(shape![16, 128]), shape![128]);
        let zero = constant(0.0f32, shape![1, 1]);
        let one = constant(1.0f32, shape![1, 1]);
        let joined = sum.reshape(shape![1, 128])
            / select(gt_tile(total, zero), total, one).broadcast(shape![1, 128]);
        unsafe { store(out, [head, j], to_f16(joined)) };
    }
}
