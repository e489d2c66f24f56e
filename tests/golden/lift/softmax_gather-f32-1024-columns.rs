#[cutile::module]
pub mod softmax_gather {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the softmax of the first `lengths[row]` entries of row `bid(0)` to `y`, zeros after them.
    #[cutile::entry()]
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn softmax_gather(
        x: &Tensor<f32, { [-1, -1] }>,
        lengths: &Tensor<i32, { [-1] }>,
        y: &Tensor<f32, { [-1, -1] }>,
    ) {
        let row = get_tile_block_id().0;
        let row_i64: Tile<i64, { [] }> = exti(tile_of(row));
        let lengths_shape0_i64: Tile<i64, { [] }> = exti(tile_of(lengths.shape()[0]));
        let lengths_ptr: PointerTile<*mut i32, { [] }> = get_tensor_base(lengths);
        let mask = less_unsigned(row_i64, lengths_shape0_i64);
        let pointers: PointerTile<*mut i32, { [] }> =
            lengths_ptr.offset_tile(row_i64 * tile_of(1i64));
        let pointers: PointerTile<*mut i32, { [] }> = unsafe { assume_div_by::<_, 4>(pointers) };
        let zero: Tile<i32, { [] }> = tile_of(0i32);
        let length = unsafe { read_at_masked(pointers, mask, zero) };
        let columns: Tile<i32, { [1024] }> = iota(shape![1024]);
        let inside: Tile<bool, { [1024] }> = cmpi(
            columns,
            length.reshape(shape![1]).broadcast(shape![1024]),
            predicate::LessThan,
        );
        let minus_infinity_tile: Tile<f32, { [1024] }> = constant(f32::NEG_INFINITY, shape![1024]);
        let logits: Tile<f32, { [1024] }> = gather_masked_padded_2d(
            x,
            wide(row, shape![1024]),
            widen(columns, shape![1024]),
            [strides(x)[0], 1],
            shape![1024],
            inside,
            minus_infinity_tile,
        );
        let maximum: Tile<f32, { [] }> = reduce_max(logits, 0);
        let weights: Tile<f32, { [1024] }> =
            exp(logits - maximum.reshape(shape![1]).broadcast(shape![1024]));
        let total: Tile<f32, { [] }> = reduce_sum(weights, 0);
        // The mask is not needed here: outside it the weight is exp(-inf) = 0, the value that is wanted.
        let quotient = weights / total.reshape(shape![1]).broadcast(shape![1024]);
        unsafe {
            scatter_2d(
                y,
                wide(row, shape![1024]),
                widen(columns, shape![1024]),
                [strides(y)[0], 1],
                shape![1024],
                quotient,
            )
        };
    }
}
