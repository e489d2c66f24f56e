//! Index tiles and their bounds.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod indices {
    use crate::numbers::numbers::*;
    use cutile::core::*;

    /// A number as an index tile of this shape.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn wide<const R: [i32; N]>(i: i32, shape: Shape<R>) -> Tile<i64, R> {
        let ones: Shape<{ [1; N] }> = Shape::<{ [1; N] }> { dims: &[1i32; N] };
        let narrow: Tile<i32, { [] }> = scalar_to_tile(i);
        let wide: Tile<i64, { [] }> = exti(narrow);
        let wide: Tile<i64, R> = broadcast(reshape(wide, ones), shape);
        wide
    }

    /// A tile of numbers as an index tile of this shape.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn widen<const S: [i32; N], const R: [i32; N]>(
        i: Tile<i32, S>,
        shape: Shape<R>,
    ) -> Tile<i64, R> {
        let wide: Tile<i64, S> = exti(i);
        let wide: Tile<i64, R> = broadcast(wide, shape);
        wide
    }

    /// Where `0 <= i < extent`: both are compared as unsigned numbers, so a negative index is outside.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn below<const R: [i32; N]>(
        i: Tile<i64, R>,
        extent: i32,
        shape: Shape<R>,
    ) -> Tile<bool, R> {
        let ones: Shape<{ [1; N] }> = Shape::<{ [1; N] }> { dims: &[1i32; N] };
        let narrow: Tile<i32, { [] }> = scalar_to_tile(extent);
        let bound: Tile<i64, { [] }> = exti(narrow);
        let bound: Tile<i64, R> = broadcast(reshape(bound, ones), shape);
        let inside: Tile<bool, R> = less_unsigned(i, bound);
        inside
    }

    /// `a < b` of two integer tiles read as unsigned numbers.
    #[cuda_tile::op(
        name = "cuda_tile.cmpi",
        since = "V13_2",
        params = ["a", "b"],
        named_attributes = ["comparison_predicate=less_than", "signedness=unsigned"]
    )]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn less_unsigned<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<bool, S> {
        unreachable!()
    }
}
