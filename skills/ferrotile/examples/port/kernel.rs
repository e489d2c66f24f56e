#[cutile::module]
pub mod scale_rows {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write `x * factors[:, None]` to `y`, one tile of rows and columns per block.
    #[cutile::entry()]
    pub unsafe fn scale_rows(
        x: &Tensor<f32, { [-1, -1] }>,
        factors: &Tensor<f32, { [-1] }>,
        y: &Tensor<f32, { [-1, -1] }>,
    ) {
        let row = get_tile_block_id().0;
        let column = get_tile_block_id().1;
        let values = load(x, [row, column], shape![4, 64]);
        // one factor for each row of the tile
        let scale = load(factors, [row], shape![4]);
        unsafe { store(y, [row, column], values * as_column(scale, shape![4, 64])) };
    }
}
