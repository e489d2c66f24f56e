#[cutile::module]
pub mod rope {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write `POSITIONS` rotated positions of head `bid(1)` of batch entry `bid(2)` to `y`.
    #[cutile::entry()]
    pub unsafe fn rope(
        x: &Tensor<bf16, { [-1, -1, -1, -1] }>,
        cosines: &Tensor<f32, { [-1, -1] }>,
        sines: &Tensor<f32, { [-1, -1] }>,
        y: &Tensor<bf16, { [-1, -1, -1, -1] }>,
    ) {
        let tile_id = get_tile_block_id().0;
        let head = get_tile_block_id().1;
        let entry = get_tile_block_id().2;
        let cosines_tile = load(cosines, [tile_id, 0], shape![32, 64]);
        let cosine = cosines_tile.reshape(shape![1, 1, 32, 64]);
        let sines_tile = load(sines, [tile_id, 0], shape![32, 64]);
        let sine = sines_tile.reshape(shape![1, 1, 32, 64]);
        let x_tile = load(x, [entry, head, tile_id, 0], shape![1, 1, 32, 64]);
        let first: Tile<f32, { [1, 1, 32, 64] }> = ftof(x_tile, rounding::NearestEven);
        let x_tile = load(x, [entry, head, tile_id, 1], shape![1, 1, 32, 64]);
        let second: Tile<f32, { [1, 1, 32, 64] }> = ftof(x_tile, rounding::NearestEven);
        let turned_first: Tile<f32, { [1, 1, 32, 64] }> =
            mul_add(first, cosine, negf(second * sine));
        let turned_second = mul_add(second, cosine, first * sine);
        let turned_first_bf16: Tile<bf16, { [1, 1, 32, 64] }> =
            ftof(turned_first, rounding::NearestEven);
        let token: Token = unsafe {
            store_after(
                y,
                [entry, head, tile_id, 0],
                turned_first_bf16,
                shape![1, 1, 32, 64],
                new_token_unordered(),
            )
        };
        let turned_second_bf16: Tile<bf16, { [1, 1, 32, 64] }> =
            ftof(turned_second, rounding::NearestEven);
        unsafe {
            store_after(
                y,
                [entry, head, tile_id, 1],
                turned_second_bf16,
                shape![1, 1, 32, 64],
                token,
            )
        };
    }
}
