#[cutile::module]
pub mod softmax_online {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the softmax of row `bid(0)` of `x` to `y`, reading the row twice in chunks.
    #[cutile::entry()]
    pub unsafe fn softmax_online(x: &Tensor<f32, { [-1, -1] }>, y: &Tensor<f32, { [-1, -1] }>) {
        let row = get_tile_block_id().0;
        let x_tiles = tiles(x, shape![1, 2048]);
        let chunk_count: i32 = num_tiles(&x_tiles, 1);
        let constant_value_tile = constant(1.442695f32, shape![1, 2048]);
        let mut peak = constant_f32(f64::NEG_INFINITY, shape![1, 1]);
        let mut total = constant(0.0f32, shape![1, 1]);
        for j in 0..chunk_count {
            // 2^(x log2 e) is e^x; the hardware has only the power of two.
            let logits = load_neg_inf(x, [row, j], shape![1, 2048]) * constant_value_tile;
            let new_peak = max_tile(peak, max_along_1(logits, shape![1]).reshape(shape![1, 1]));
            let exponential = exp2(peak - new_peak, ftz::Disabled);
            let sum = sum_along_1(
                exp2(logits - new_peak.broadcast(shape![1, 2048]), ftz::Disabled),
                shape![1],
            );
            total = mul_add(total, exponential, sum.reshape(shape![1, 1]));
            peak = new_peak;
        }
        let scale = constant(1.0f32, shape![1, 1]) / total;
        let constant_value_tile = constant(1.442695f32, shape![1, 2048]);
        let negated = negf(peak.broadcast(shape![1, 2048]));
        let scale_tile = scale.broadcast(shape![1, 2048]);
        for j in 0..chunk_count {
            let logits = load_neg_inf(x, [row, j], shape![1, 2048]);
            let share =
                exp2(mul_add(logits, constant_value_tile, negated), ftz::Disabled) * scale_tile;
            unsafe { store(y, [row, j], share) };
        }
    }
}
