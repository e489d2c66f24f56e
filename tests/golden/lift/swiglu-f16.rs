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
        let offsets: Tile<i32, { [1024] }> = iota(shape![1024]);
        let columns: Tile<i32, { [1024] }> =
            broadcast_scalar(get_tile_block_id().1 * 1024, shape![1024]) + offsets;
        // Past the end of the gate half lies the up half, inside the array: bounds alone would not stop the read.
        let inside: Tile<bool, { [1024] }> =
            cmpi(columns, broadcast_scalar(hidden, shape![1024]), predicate::LessThan);
        let gathered = gather_row_masked(both, row, columns, inside);
        let gate: Tile<f32, { [1024] }> = ftof(gathered, rounding::NearestEven);
        let gathered: Tile<f16, { [1024] }> =
            gather_row_masked(both, row, columns + broadcast_scalar(hidden, shape![1024]), inside);
        let up: Tile<f32, { [1024] }> = ftof(gathered, rounding::NearestEven);
        let activated: Tile<f32, { [1024] }> = gate
            * (constant(1.0f32, shape![1024]) / (constant(1.0f32, shape![1024]) + exp(negf(gate))))
            * up;
        let activated_f16: Tile<f16, { [1024] }> = ftof(activated, rounding::NearestEven);
        unsafe { scatter_row(y, row, columns, activated_f16) };
    }
}
