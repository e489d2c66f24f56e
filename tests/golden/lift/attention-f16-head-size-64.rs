#[cutile::module]
pub mod attention {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the attention of query tile `bid(0)` of head `bid(1)` of batch entry `bid(2)` to `out`.
    #[cutile::entry(optimization_hints = (default = (occupancy = 2,),))]
    pub unsafe fn attention(
        q: &Tensor<f16, { [-1, -1, -1, -1] }>,
        k: &Tensor<f16, { [-1, -1, -1, -1] }>,
        v: &Tensor<f16, { [-1, -1, -1, -1] }>,
        out: &Tensor<f16, { [-1, -1, -1, -1] }>,
        scale: f32,
    ) {
        let i = get_tile_block_id().0;
        let head = get_tile_block_id().1;
        let entry = get_tile_block_id().2;
        let queries = load_zero(q, [entry, head, i, 0], shape![1, 1, 128, 64]);
        let queries = queries.reshape(shape![128, 64]);
        let offsets = arange(shape![128]);
        let query_ids = broadcast_scalar(i * 128, shape![128, 1]) + offsets.reshape(shape![128, 1]);
        // Scores are kept in powers of two, because exp2 is what the hardware has.
        let scale_log2 = scale * 1.442695f32;
        let first_masked = floor_div(i * 128, 64i32);
        let last = ceil_div(min((i + 1) * 128, k.shape()[2]), 64i32);
        let k_tiles: Partition<f16, { [1, 1, 64, 64] }> =
            tiles_permuted(k, shape![1, 1, 64, 64], const_array![0, 1, 3, 2]);
        let zero = constant(0.0f32, shape![128, 64]);
        let scale_log2_tile = broadcast_scalar(scale_log2, shape![128, 1]);
        let scale_log2_tile_2 = broadcast_scalar(scale_log2, shape![128, 64]);
        let v_tiles = v.partition(shape![1, 1, 64, 64]);
        let mut acc = constant(0.0f32, shape![128, 64]);
        let mut peak = constant_f32(f64::NEG_INFINITY, shape![128, 1]);
        let mut total = constant(0.0f32, shape![128, 1]);
        for j in 0..min(last, first_masked) {
            // order: the tile is (HEAD_DIM, TILE_N), the transpose of how keys lie in memory.
            let k_tile: Tile<f16, { [1, 1, 64, 64] }> =
                load_ahead(&k_tiles, [entry, head, 0i32, j], Some(2i32));
            let keys = k_tile.reshape(shape![64, 64]);
            let scores = mmaf(queries, keys, zero);
            let maximum = max_along_1(scores, shape![128]);
            let new_peak = max_tile(peak, maximum.reshape(shape![128, 1]) * scale_log2_tile);
            let weights = exp2(
                mul_add(scores, scale_log2_tile_2, negf(new_peak.broadcast(shape![128, 64]))),
                ftz::Disabled,
            );
            let correction = exp2(peak - new_peak, ftz::Disabled);
            let sum = sum_along_1(weights, shape![128]);
            total = mul_add(total, correction, sum.reshape(shape![128, 1]));
            let v_tile: Tile<f16, { [1, 1, 64, 64] }> =
                load_ahead(&v_tiles, [entry, head, j, 0i32], Some(4i32));
            let values = v_tile.reshape(shape![64, 64]);
            acc = mmaf(to_f16(weights), values, acc * correction.broadcast(shape![128, 64]));
            peak = new_peak;
        }
        for j in max(0i32, first_masked)..last {
            let k_tile: Tile<f16, { [1, 1, 64, 64] }> =
                load_ahead(&k_tiles, [entry, head, 0i32, j], Some(2i32));
            let keys = k_tile.reshape(shape![64, 64]);
            let scores = mmaf(queries, keys, zero);
            let offsets = arange(shape![64]);
            let key_ids = broadcast_scalar(j * 64, shape![1, 64]) + offsets.reshape(shape![1, 64]);
            let mask = cmpi(
                query_ids.broadcast(shape![128, 64]),
                key_ids.broadcast(shape![128, 64]),
                predicate::GreaterThanOrEqual,
            );
            let mask_wide =
                cmpi(key_ids, broadcast_scalar(k.shape()[2], shape![1, 64]), predicate::LessThan)
                    .broadcast(shape![128, 64]);
            let visible = mask & mask_wide;
            let scores = select(visible, scores, constant_f32(f64::NEG_INFINITY, shape![128, 64]));
            let maximum = max_along_1(scores, shape![128]);
            let new_peak = max_tile(peak, maximum.reshape(shape![128, 1]) * scale_log2_tile);
            let weights = exp2(
                mul_add(scores, scale_log2_tile_2, negf(new_peak.broadcast(shape![128, 64]))),
                ftz::Disabled,
            );
            let correction = exp2(peak - new_peak, ftz::Disabled);
            let sum = sum_along_1(weights, shape![128]);
            total = mul_add(total, correction, sum.reshape(shape![128, 1]));
            let v_tile: Tile<f16, { [1, 1, 64, 64] }> =
                load_ahead(&v_tiles, [entry, head, j, 0i32], Some(4i32));
            let values = v_tile.reshape(shape![64, 64]);
            acc = mmaf(to_f16(weights), values, acc * correction.broadcast(shape![128, 64]));
            peak = new_peak;
        }
        let result = to_f16(acc / total.broadcast(shape![128, 64])).reshape(shape![1, 1, 128, 64]);
        unsafe { store(out, [entry, head, i, 0], result) };
    }
}
