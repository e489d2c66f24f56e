#[cutile::module]
pub mod softmax_rows {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the softmax of every row of `x` to `y`; a block walks over rows, one grid apart.
    #[cutile::entry()]
    pub unsafe fn softmax_rows(x: &Tensor<f32, { [-1, -1] }>, y: &Tensor<f32, { [-1, -1] }>) {
        for row in (get_tile_block_id().0..x.shape()[0]).step_by(get_num_tile_blocks().0 as usize) {
            // Half precision is too coarse for a sum of thousands of exponentials.
            let logits = load_neg_inf(x, [row, 0], shape![1, 1024]);
            // exp(x - max) never overflows, and the common factor cancels in the quotient.
            let peak = max_along_1(logits, shape![1]).reshape(shape![1, 1]);
            let weights = exp(logits - peak.broadcast(shape![1, 1024]));
            let share = weights / spread(sum_along_1(weights, shape![1]), shape![1, 1024]);
            unsafe { store(y, [row, 0], share) };
        }
    }
}
