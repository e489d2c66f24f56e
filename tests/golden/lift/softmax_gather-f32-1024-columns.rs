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
        let length: Tile<i32, { [] }> = unsafe { element::<_, 4>(lengths, row) };
        let columns: Tile<i32, { [1024] }> = iota(shape![1024]);
        let inside: Tile<bool, { [1024] }> =
            cmpi(columns, length.reshape(shape![1]).broadcast(shape![1024]), predicate::LessThan);
        let minus_infinity_tile: Tile<f32, { [1024] }> = constant(f32::NEG_INFINITY, shape![1024]);
        let logits = gather_row_masked_padded(x, row, columns, inside, minus_infinity_tile);
        let maximum: Tile<f32, { [] }> = reduce_max(logits, 0);
        let weights: Tile<f32, { [1024] }> =
            exp(logits - maximum.reshape(shape![1]).broadcast(shape![1024]));
        let total: Tile<f32, { [] }> = reduce_sum(weights, 0);
        // The mask is not needed here: outside it the weight is exp(-inf) = 0, the value that is wanted.
        let quotient = weights / total.reshape(shape![1]).broadcast(shape![1024]);
        unsafe { scatter_row(y, row, columns, quotient) };
    }
}
