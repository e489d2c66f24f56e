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
        let cosine = load(cosines, [tile_id, 0], shape![32, 64]).reshape(shape![1, 1, 32, 64]);
        let sine = load(sines, [tile_id, 0], shape![32, 64]).reshape(shape![1, 1, 32, 64]);
        let first = to_f32(load(x, [entry, head, tile_id, 0], shape![1, 1, 32, 64]));
        let second = to_f32(load(x, [entry, head, tile_id, 1], shape![1, 1, 32, 64]));
        let turned_first = mul_add(first, cosine, negf(second * sine));
        let turned_second = mul_add(second, cosine, first * sine);
        let token: Token = unsafe {
            store_after(y, [entry, head, tile_id, 0], to_bf16(turned_first), new_token_unordered())
        };
        unsafe { store_after(y, [entry, head, tile_id, 1], to_bf16(turned_second), token) };
    }
}
