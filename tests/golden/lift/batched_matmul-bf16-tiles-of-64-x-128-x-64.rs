#[cutile::module]
pub mod batched_matmul {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write tile `(bid(1), bid(2))` of the product of batch entry `bid(0)` to `c`.
    #[cutile::entry()]
    pub unsafe fn batched_matmul(
        a: &Tensor<bf16, { [-1, -1, -1] }>,
        b: &Tensor<bf16, { [-1, -1, -1] }>,
        c: &Tensor<bf16, { [-1, -1, -1] }>,
    ) {
        let entry = get_tile_block_id().0;
        let i = get_tile_block_id().1;
        let j = get_tile_block_id().2;
        let a_tiles = tiles(a, shape![1, 64, 64]);
        let mut acc = constant(0.0f32, shape![64, 128]);
        for k in 0..num_tiles(&a_tiles, 2) {
            let left = load_zero(a, [entry, i, k], shape![1, 64, 64]);
            let right = load_zero(b, [entry, j, k], shape![1, 128, 64]);
            let right: Tile<bf16, { [1, 64, 128] }> = permute(right, const_array![0, 2, 1]);
            acc = mmaf(left.reshape(shape![64, 64]), right.reshape(shape![64, 128]), acc);
        }
        let result = to_bf16(acc).reshape(shape![1, 64, 128]);
        unsafe { store(c, [entry, i, j], result) };
    }
}
