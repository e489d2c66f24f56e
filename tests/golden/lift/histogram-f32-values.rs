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
        let offsets: Tile<i32, { [256] }> = iota(shape![256]);
        let positions: Tile<i32, { [256] }> =
            broadcast_scalar(get_tile_block_id().0 * 256, shape![256]) + offsets;
        // A lane past the end gets a value below every bin. Its index is negative, hence out of bounds,
        // and is not counted; the same holds for values outside the range of the bins.
        let value: Tile<f32, { [256] }> =
            gather_elements_padded(values, positions, broadcast_scalar(low - 1.0f32, shape![256]));
        let bin_id: Tile<i32, { [256] }> = ftoi(
            floor(
                (value - broadcast_scalar(low, shape![256]))
                    * broadcast_scalar(bins_per_unit, shape![256]),
            ),
            rounding::NearestIntToZero,
        );
        let addresses = element_addresses(bins, bin_id);
        let inside = element_in_bounds(bins, bin_id);
        let one = constant(1i32, shape![256]);
        let previous = unsafe { add_at_masked(addresses, one, inside) };
    }
}
