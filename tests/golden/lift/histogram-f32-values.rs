#[cutile::module]
pub mod histogram {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Add one to `bins[floor((v - low) * bins_per_unit)]` for each of a block's `TILE` values.
    #[cutile::entry()]
    pub unsafe fn histogram(
        values: &Tensor<f32, { [-1] }>,
        bins: &Tensor<i32, { [-1] }>,
        low: f32,
        bins_per_unit: f32,
    ) {
        let positions = arange_from(get_tile_block_id().0 * 256, shape![256]);
        // A lane past the end gets a value below every bin. Its index is negative, hence out of bounds,
        // and is not counted; the same holds for values outside the range of the bins.
        let value =
            gather_elements_padded(values, positions, broadcast_scalar(low - 1.0f32, shape![256]));
        let bin_id = to_i32(floor(
            (value - broadcast_scalar(low, shape![256]))
                * broadcast_scalar(bins_per_unit, shape![256]),
        ));
        unsafe { add_to_elements(bins, bin_id, constant_i32(1, shape![256])) };
    }
}
