#[cutile::module]
pub mod rms_norm {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the norm of row `bid(0)` of `x`, scaled by `weight`, to `y`.
    #[cutile::entry()]
    pub unsafe fn rms_norm(
        x: &Tensor<bf16, { [-1, -1] }>,
        weight: &Tensor<bf16, { [-1] }>,
        y: &Tensor<bf16, { [-1, -1] }>,
        epsilon: f32,
    ) {
        let row = get_tile_block_id().0;
        let chunk_count = ceil_div(x.shape()[1], 1024i32);
        let mut squares = constant(0.0f32, shape![1, 1024]);
        for j in 0..chunk_count {
            // Zero padding: lanes past the end of the row must add nothing.
            let part = to_f32(load_zero(x, [row, j], shape![1, 1024]));
            squares = mul_add(part, part, squares);
        }
        let sum = sum_along_1(squares, shape![1]);
        let column_count_f32: Tile<f32, { [] }> =
            itof(tile_of(x.shape()[1]), rounding::NearestEven);
        let mean = sum.reshape(shape![1, 1]) / column_count_f32.reshape(shape![1, 1]);
        let scale = rsqrt(mean + broadcast_scalar(epsilon, shape![1, 1]), ftz::Disabled);
        let scale_tile = scale.broadcast(shape![1, 1024]);
        for j in 0..chunk_count {
            let part = load_zero(x, [row, j], shape![1, 1024]);
            let gain = load_zero(weight, [j], shape![1024]);
            let product = to_f32(part) * scale_tile;
            let normed = product * to_f32(gain).reshape(shape![1, 1024]);
            unsafe { store(y, [row, j], to_bf16(normed)) };
        }
    }
}
