#[cutile::module]
pub mod vector_add {
    use cutile::core::*;
    use ferrotile_prelude::prelude::*;

    /// Write `a + b` to `total`, one tile per block.
    #[cutile::entry()]
    pub unsafe fn vector_add(
        a: &Tensor<f16, { [-1] }>,
        b: &Tensor<f16, { [-1] }>,
        total: &Tensor<f16, { [-1] }>,
    ) {
        let block = get_tile_block_id().0;
        let left = load(a, [block], shape![512]);
        let right = load(b, [block], shape![512]);
        let total_tile = left + right;
        unsafe { store(total, [block], total_tile) };
    }
}
