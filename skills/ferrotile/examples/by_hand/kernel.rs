// The port of scale_rows, written by hand. `scale * values` would be DIFFERS: operands count, for NaN payloads do.
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
        let scale: Tile<f32, { [4] }> = load(factors, [row], shape![4]);
        let values: Tile<f32, { [4, 64] }> = load(x, [row, column], shape![4, 64]);
        let scaled: Tile<f32, { [4, 64] }> =
            values * scale.reshape(shape![4, 1]).broadcast(shape![4, 64]);
        unsafe { store(y, [row, column], scaled) };
    }
}
