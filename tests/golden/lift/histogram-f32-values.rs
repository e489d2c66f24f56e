#[cutile::module]
pub mod histogram {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Add one to `bins[floor((v - low) * bins_per_unit)]` for each of a block's `TILE` values.
    #[cutile::entry()]
    #[allow(clippy::too_many_arguments)]
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
        let value: Tile<f32, { [256] }> = gather_padded_1d(
            values,
            widen(positions, shape![256]),
            [1i32],
            shape![256],
            broadcast_scalar(low - 1.0f32, shape![256]),
        );
        let bin_id: Tile<i32, { [256] }> = ftoi(
            floor(
                (value - broadcast_scalar(low, shape![256]))
                    * broadcast_scalar(bins_per_unit, shape![256]),
            ),
            rounding::NearestIntToZero,
        );
        let addresses: PointerTile<*mut i32, { [256] }> =
            addresses_1d(bins, widen(bin_id, shape![256]), [1i32], shape![256]);
        let inside: Tile<bool, { [256] }> =
            in_bounds_1d(bins, widen(bin_id, shape![256]), shape![256]);
        let one = constant(1i32, shape![256]);
        let (previous, _token): (Tile<i32, { [256] }>, Token) = unsafe {
            atomic_rmw_tko(
                addresses,
                one,
                atomic::Add,
                ordering::Relaxed,
                scope::Device,
                Some(inside),
                None,
            )
        };
    }
}
