#[cutile::module]
pub mod softmax_gather {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the softmax of the first `lengths[row]` entries of row `bid(0)` to `y`, zeros after them.
    #[cutile::entry()]
    pub unsafe fn softmax_gather(
        x: &Tensor<f32, { [-1, -1] }>,
        lengths: &Tensor<i32, { [-1] }>,
        y: &Tensor<f32, { [-1, -1] }>,
    ) {
        let row = get_tile_block_id().0;
        let length = unsafe { element::<_, 4>(lengths, row) };
        let columns = arange(shape![1024]);
        let inside = cmpi(columns, spread(length, shape![1024]), predicate::LessThan);
        let minus_infinity_tile = constant_f32(f64::NEG_INFINITY, shape![1024]);
        let logits = gather_row_masked_padded(x, row, columns, inside, minus_infinity_tile);
        let weights = exp(logits - spread(max_along_0(logits, shape![]), shape![1024]));
        let total = sum_along_0(weights, shape![]);
        // The mask is not needed here: outside it the weight is exp(-inf) = 0, the value that is wanted.
        unsafe { scatter_row(y, row, columns, weights / spread(total, shape![1024])) };
    }
}
