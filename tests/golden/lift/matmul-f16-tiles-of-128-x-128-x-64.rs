#[cutile::module]
pub mod matmul {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write `a @ b` to `c`; a block takes every `num_blocks(0)`-th tile of `c`.
    #[cutile::entry(optimization_hints = (default = (num_cta_in_cga = 1,),))]
    pub unsafe fn matmul(
        a: &Tensor<f16, { [-1, -1] }>,
        b: &Tensor<f16, { [-1, -1] }>,
        c: &Tensor<f16, { [-1, -1] }>,
    ) {
        let tile_rows = ceil_div(c.shape()[0], 128i32);
        let tile_columns = ceil_div(c.shape()[1], 128i32);
        let k_count = ceil_div(a.shape()[1], 64i32);
        let tiles_in_group = 8 * tile_columns;
        let acc_init = constant(0.0f32, shape![128, 128]);
        let mut token: Token = new_token_unordered();
        for serial in (get_tile_block_id().0..tile_rows * tile_columns)
            .step_by(get_num_tile_blocks().0 as usize)
        {
            let first_row = floor_div(serial, tiles_in_group) * 8;
            // The last group may have fewer rows than the others.
            let group_rows = min(tile_rows - first_row, 8i32);
            let within = floor_mod(serial, tiles_in_group);
            let i = first_row + floor_mod(within, group_rows);
            let j = floor_div(within, group_rows);
            let mut acc: Tile<f32, { [128, 128] }> = acc_init;
            for k in 0..k_count {
                // Along k both sides are padded with zeros: a product with padding adds nothing.
                let left = load_zero(a, [i, k], shape![128, 64]);
                let right = load_zero(b, [k, j], shape![64, 128]);
                acc = mmaf(left, right, acc);
            }
            token = unsafe { store_after(c, [i, j], to_f16(acc), token) };
        }
    }
}
