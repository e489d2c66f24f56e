//! Numbers as words of bits: for reductions and scans that take two operands, or start from another number than 0.
//!
//! cutile 0.5.0 reduces one tile, from a number that the element type chooses: 0 for the largest of unsigned words. As
//! words, with the bits of the wanted start taken away, any one or two numbers can be reduced or scanned together.

#[cutile::module]
pub mod words {
    use crate::numbers::numbers::*;
    use cutile::core::*;

    /// The bits that differ from those of `start`, so that `start` itself is 0; applied again, the bits as they were.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn differing<W: ElementType, E: ElementType, const S: [i32; N]>(
        bits: Tile<W, S>,
        start: Tile<E, S>,
    ) -> Tile<W, S> {
        let origin: Tile<W, S> = bitcast(start);
        let bits: Tile<W, S> = xori(bits, origin);
        bits
    }

    /// Two words side by side in one.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn pair<const S: [i32; N]>(high: Tile<u32, S>, low: Tile<u32, S>) -> Tile<u64, S> {
        let shape: Shape<S> = Shape::<S> { dims: &[] };
        let half: Tile<u64, S> = constant(32u64, shape);
        let high: Tile<u64, S> = exti(high);
        let high: Tile<u64, S> = shift_left(high, half);
        let low: Tile<u64, S> = exti(low);
        let both: Tile<u64, S> = ori(high, low);
        both
    }

    /// The first of a pair.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn high_of<const S: [i32; N]>(word: Tile<u64, S>) -> Tile<u32, S> {
        let shape: Shape<S> = Shape::<S> { dims: &[] };
        let half: Tile<u64, S> = constant(32u64, shape);
        let high: Tile<u64, S> = shri(word, half);
        let high: Tile<u32, S> = narrow(high);
        high
    }

    /// The second of a pair.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn low_of<const S: [i32; N]>(word: Tile<u64, S>) -> Tile<u32, S> {
        let low: Tile<u32, S> = narrow(word);
        low
    }
}
