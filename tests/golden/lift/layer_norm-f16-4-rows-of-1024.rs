#[cutile::module]
pub mod layer_norm {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write the layer norm of `ROWS` rows of `x` to `y`, and what a backward pass needs to the other two.
    #[cutile::entry()]
    pub unsafe fn layer_norm(
        x: &Tensor<f16, { [-1, -1] }>,
        weight: &Tensor<f16, { [-1] }>,
        bias: &Tensor<f16, { [-1] }>,
        y: &Tensor<f16, { [-1, -1] }>,
        mean_out: &Tensor<f32, { [-1] }>,
        rstd_out: &Tensor<f32, { [-1] }>,
        epsilon: f32,
    ) {
        let block = get_tile_block_id().0;
        let rows = to_f32(load_zero(x, [block, 0], shape![4, 1024]));
        let sum = sum_along_1(rows, shape![4]);
        let column_count_f32: Tile<f32, { [] }> =
            itof(tile_of(x.shape()[1]), rounding::NearestEven);
        let mean = sum.reshape(shape![4, 1]) / spread(column_count_f32, shape![4, 1]);
        // A padded lane is 0 - mean after centring, not 0: it must be taken out of the variance by hand.
        let offsets = arange(shape![1024]);
        let inside = cmpi(
            offsets.reshape(shape![1, 1024]),
            broadcast_scalar(x.shape()[1], shape![1, 1024]),
            predicate::LessThan,
        );
        let zero_tile = constant(0.0f32, shape![4, 1024]);
        let centred = select(
            inside.broadcast(shape![4, 1024]),
            rows - mean.broadcast(shape![4, 1024]),
            zero_tile,
        );
        let sum = sum_along_1(centred * centred, shape![4]);
        let column_count_f32: Tile<f32, { [] }> =
            itof(tile_of(x.shape()[1]), rounding::NearestEven);
        let variance = sum.reshape(shape![4, 1]) / spread(column_count_f32, shape![4, 1]);
        let rstd = constant(1.0f32, shape![4, 1])
            / sqrt(
                variance + broadcast_scalar(epsilon, shape![4, 1]),
                rounding::NearestEven,
                ftz::Disabled,
            );
        let gain = load_zero(weight, [0i32], shape![1024]);
        let shift = load_zero(bias, [0i32], shape![1024]);
        let product = centred * rstd.broadcast(shape![4, 1024]);
        let gain_f32 = to_f32(gain);
        let result = mul_add(
            product,
            as_row(gain_f32, shape![4, 1024]),
            as_row(to_f32(shift), shape![4, 1024]),
        );
        unsafe { store(y, [block, 0], to_f16(result)) };
        let mean = mean.reshape(shape![4]);
        unsafe { store(mean_out, [block], mean) };
        let rstd = rstd.reshape(shape![4]);
        unsafe { store(rstd_out, [block], rstd) };
    }
}
