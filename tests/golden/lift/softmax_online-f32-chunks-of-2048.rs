#[cutile::module]
pub mod softmax_online {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the softmax of row `bid(0)` of `x` to `y`, reading the row twice in chunks.
    #[cutile::entry()]
    pub unsafe fn softmax_online(x: &Tensor<f32, { [-1, -1] }>, y: &Tensor<f32, { [-1, -1] }>) {
        let row = get_tile_block_id().0;
        let x_tiles: Partition<f32, { [1, 2048] }> = tiles(x, shape![1, 2048]);
        let chunk_count: i32 = num_tiles(&x_tiles, 1);
        let constant_value_tile = constant(1.442695f32, shape![1, 2048]);
        let mut peak: Tile<f32, { [1, 1] }> = constant(f32::NEG_INFINITY, shape![1, 1]);
        let mut total = constant(0.0f32, shape![1, 1]);
        for j in 0..chunk_count {
            let logits = load_neg_inf(x, [row, j], shape![1, 2048]);
            // 2^(x log2 e) is e^x; the hardware has only the power of two.
            let logits = logits * constant_value_tile;
            let maximum: Tile<f32, { [1] }> = reduce_max(logits, 1);
            let new_peak: Tile<f32, { [1, 1] }> = max_tile(peak, maximum.reshape(shape![1, 1]));
            let exponential = exp2(peak - new_peak, ftz::Disabled);
            let sum: Tile<f32, { [1] }> =
                reduce_sum(exp2(logits - new_peak.broadcast(shape![1, 2048]), ftz::Disabled), 1);
            total = mul_add(total, exponential, sum.reshape(shape![1, 1]));
            peak = new_peak;
        }
        let scale = constant(1.0f32, shape![1, 1]) / total;
        let constant_value_tile = constant(1.442695f32, shape![1, 2048]);
        let negated: Tile<f32, { [1, 2048] }> = negf(peak.broadcast(shape![1, 2048]));
        let scale_tile = scale.broadcast(shape![1, 2048]);
        for j in 0..chunk_count {
            let logits = load_neg_inf(x, [row, j], shape![1, 2048]);
            let share: Tile<f32, { [1, 2048] }> =
                exp2(mul_add(logits, constant_value_tile, negated), ftz::Disabled) * scale_tile;
            unsafe { store(y, [row, j], share, shape![1, 2048]) };
        }
    }
}
