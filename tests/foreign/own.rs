//! Kernels of our own as one writes them in cuTile Rust: safe tensors, partitions, generics, helpers, checks, loops.

#[cutile::module]
pub mod own {
    use cutile::core::*;

    fn scaled<const N: i32>(tile: Tile<f32, { [N] }>, by: f32) -> Tile<f32, { [N] }> {
        let factor: Tile<f32, { [N] }> = by.broadcast(const_shape![N]);
        tile * factor
    }

    fn at_most(number: i32, limit: i32) -> i32 {
        if number < limit {
            number
        } else {
            limit
        }
    }

    #[cutile::entry()]
    fn product<T: ElementType, const M: i32, const N: i32, const K: i32>(
        z: &mut Tensor<f32, { [M, N] }>,
        x: &Tensor<T, { [-1, -1] }>,
        y: &Tensor<T, { [-1, -1] }>,
    ) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        let rows = x.partition(const_shape![M, K]);
        let columns = y.partition(const_shape![K, N]);
        let mut total: Tile<f32, { [M, N] }> = constant(0.0f32, const_shape![M, N]);
        for k in 0i32..(x.shape()[1] / K) {
            let left = rows.load([pid.0, k]);
            let right = columns.load([k, pid.1]);
            total = mma(left, right, total);
        }
        z.store(total);
    }

    #[cutile::entry()]
    fn softmax<const N: i32>(z: &mut Tensor<f32, { [1, N] }>, x: &Tensor<f32, { [-1, -1] }>) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        let row = x.partition(const_shape![1, N]).load([pid.0, 0i32]);
        let most: Tile<f32, { [1] }> = reduce_max(row, 1i32);
        let most: Tile<f32, { [1, N] }> = most.reshape(const_shape![1, 1]).broadcast(const_shape![1, N]);
        let powers: Tile<f32, { [1, N] }> = exp(row - most);
        let total: Tile<f32, { [1] }> = reduce_sum(powers, 1i32);
        let total: Tile<f32, { [1, N] }> = total.reshape(const_shape![1, 1]).broadcast(const_shape![1, N]);
        z.store(powers / total);
    }

    #[cutile::entry()]
    fn halves_until<const N: i32>(z: &mut Tensor<i32, { [N] }>, start: i32, limit: i32) {
        let mut number: i32 = start;
        let mut rounds: i32 = 0i32;
        while number > limit {
            number = number / 2i32;
            rounds = rounds + 1i32;
        }
        loop {
            if rounds > 40i32 {
                break;
            }
            rounds = rounds + 3i32;
        }
        let out: Tile<i32, { [N] }> = (number + rounds).broadcast(const_shape![N]);
        z.store(out);
    }

    #[cutile::entry()]
    fn helpers<const N: i32>(z: &mut Tensor<f32, { [N] }>, x: &Tensor<f32, { [-1] }>, by: f32, limit: i32) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        let part = x.partition(const_shape![N]);
        let tile = part.load([at_most(pid.0, limit)]);
        z.store(scaled(scaled(tile, by), 0.5f32));
    }

    #[cutile::entry()]
    fn asserted<const N: i32>(z: &mut Tensor<f32, { [N] }>, x: &Tensor<f32, { [-1] }>, limit: i32) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        cuda_tile_assert!(pid.0 < limit, "more blocks than the limit");
        let tile: Tile<f32, { [N] }> = x.load_like(z);
        let most: Tile<f32, { [N] }> = constant(1.0f32, const_shape![N]);
        let clipped: Tile<f32, { [N] }> = select(lt_tile(tile, most), tile, most);
        z.store(clipped);
    }

    #[cutile::entry()]
    fn parts_of_a_part<const N: i32>(z: &mut Tensor<f32, { [4, N] }>, x: &Tensor<f32, { [-1, -1] }>) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        let from = x.partition(const_shape![1, N]);
        let mut to = z.partition_mut(const_shape![1, N]);
        for row in 0i32..4i32 {
            let tile = from.load([pid.0 * 4i32 + row, pid.1]);
            if row > 1i32 {
                to.store(tile + tile, [row, 0i32]);
            } else {
                to.store(tile, [row, 0i32]);
            }
        }
    }
}
