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
        let rows = load_zero(x, [block, 0], shape![4, 1024]);
        let rows: Tile<f32, { [4, 1024] }> = ftof(rows, rounding::NearestEven);
        let sum: Tile<f32, { [4] }> = reduce_sum(rows, 1);
        let column_count_f32: Tile<f32, { [] }> =
            itof(tile_of(x.shape()[1]), rounding::NearestEven);
        let mean = sum.reshape(shape![4, 1])
            / column_count_f32.reshape(shape![1, 1]).broadcast(shape![4, 1]);
        // A padded lane is 0 - mean after centring, not 0: it must be taken out of the variance by hand.
        let offsets: Tile<i32, { [1024] }> = iota(shape![1024]);
        let inside: Tile<bool, { [1, 1024] }> = cmpi(
            offsets.reshape(shape![1, 1024]),
            broadcast_scalar(x.shape()[1], shape![1, 1024]),
            predicate::LessThan,
        );
        let zero_tile = constant(0.0f32, shape![4, 1024]);
        let centred: Tile<f32, { [4, 1024] }> = select(
            inside.broadcast(shape![4, 1024]),
            rows - mean.broadcast(shape![4, 1024]),
            zero_tile,
        );
        let sum: Tile<f32, { [4] }> = reduce_sum(centred * centred, 1);
        let column_count_f32: Tile<f32, { [] }> =
            itof(tile_of(x.shape()[1]), rounding::NearestEven);
        let variance = sum.reshape(shape![4, 1])
            / column_count_f32.reshape(shape![1, 1]).broadcast(shape![4, 1]);
        let rstd: Tile<f32, { [4, 1] }> = constant(1.0f32, shape![4, 1])
            / sqrt(
                variance + broadcast_scalar(epsilon, shape![4, 1]),
                rounding::NearestEven,
                ftz::Disabled,
            );
        let gain = load_zero(weight, [0i32], shape![1024]);
        let shift = load_zero(bias, [0i32], shape![1024]);
        let product = centred * rstd.broadcast(shape![4, 1024]);
        let gain_f32: Tile<f32, { [1024] }> = ftof(gain, rounding::NearestEven);
        let shift_f32: Tile<f32, { [1024] }> = ftof(shift, rounding::NearestEven);
        let result: Tile<f32, { [4, 1024] }> = mul_add(
            product,
            gain_f32.reshape(shape![1, 1024]).broadcast(shape![4, 1024]),
            shift_f32.reshape(shape![1, 1024]).broadcast(shape![4, 1024]),
        );
        let result_f16: Tile<f16, { [4, 1024] }> = ftof(result, rounding::NearestEven);
        unsafe { store(y, [block, 0], result_f16, shape![4, 1024]) };
        let mean = mean.reshape(shape![4]);
        unsafe { store(mean_out, [block], mean, shape![4]) };
        let rstd = rstd.reshape(shape![4]);
        unsafe { store(rstd_out, [block], rstd, shape![4]) };
    }
}
