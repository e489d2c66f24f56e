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
        let sums = load_neg_inf(lse, [head, 0], shape![1, 16]);
        let sums = sums.reshape(shape![16, 1]);
        let maximum: Tile<f32, { [1] }> = reduce_max(sums, 0);
        let peak = maximum.reshape(shape![1, 1]);
        // With no key at all the peak is -inf too, and -inf - -inf is not a number.
        let minus_infinity: Tile<f32, { [1, 1] }> = constant(f32::NEG_INFINITY, shape![1, 1]);
        let zero = constant(0.0f32, shape![1, 1]);
        let peak: Tile<f32, { [1, 1] }> = select(gt_tile(peak, minus_infinity), peak, zero);
        let weights: Tile<f32, { [16, 1] }> =
            exp2(sums - peak.broadcast(shape![16, 1]), ftz::Disabled);
        let part = load_zero(parts, [head, 0, j], shape![1, 16, 128]);
        let part = part.reshape(shape![16, 128]);
        let sum: Tile<f32, { [1] }> = reduce_sum(weights, 0);
        let total = sum.reshape(shape![1, 1]);
        let sum: Tile<f32, { [128] }> = reduce_sum(part * weights.broadcast(shape![16, 128]), 0);
        let zero = constant(0.0f32, shape![1, 1]);
        let one = constant(1.0f32, shape![1, 1]);
        let joined: Tile<f32, { [1, 128] }> = sum.reshape(shape![1, 128])
            / select(gt_tile(total, zero), total, one).broadcast(shape![1, 128]);
        let joined_f16: Tile<f16, { [1, 128] }> = ftof(joined, rounding::NearestEven);
        unsafe { store(out, [head, j], joined_f16, shape![1, 128]) };
    }
}
