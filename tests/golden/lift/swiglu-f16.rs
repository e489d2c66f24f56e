#[cutile::module]
pub mod swiglu {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write columns `bid(1) * TILE ...` of row `bid(0)` of the activation to `y`.
    #[cutile::entry()]
    pub unsafe fn swiglu(
        both: &Tensor<f16, { [-1, -1] }>,
        y: &Tensor<f16, { [-1, -1] }>,
        hidden: i32,
    ) {
        let row = get_tile_block_id().0;
        let columns = arange_from(get_tile_block_id().1 * 1024, shape![1024]);
        // Past the end of the gate half lies the up half, inside the array: bounds alone would not stop the read.
        let inside = cmpi(columns, broadcast_scalar(hidden, shape![1024]), predicate::LessThan);
        let gate = to_f32(gather_row_masked(both, row, columns, inside));
        let gathered =
            gather_row_masked(both, row, columns + broadcast_scalar(hidden, shape![1024]), inside);
        let up = to_f32(gathered);
        let activated = gate
            * (constant(1.0f32, shape![1024]) / (constant(1.0f32, shape![1024]) + exp(negf(gate))))
            * up;
        unsafe { scatter_row(y, row, columns, to_f16(activated)) };
    }
}
