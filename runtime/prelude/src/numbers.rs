//! Numbers, and arithmetic on tiles that the operators do not spell.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod numbers {
    use cutile::core::*;

    /// A number as a tile of rank 0.
    pub fn tile_of<E: ElementType>(x: E) -> Tile<E, { [] }> {
        let tile: Tile<E, { [] }> = scalar_to_tile(x);
        tile
    }

    /// A number of which the compiler concludes nothing: of a loop over literals it assumes where its index lies.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    pub fn number(value: i32) -> i32 {
        unreachable!()
    }

    /// An extent or stride, said once more to be no less than zero.
    pub fn non_negative(n: i32) -> i32 {
        // SAFETY: for the extents and strides of a `Tensor`, which are never negative.
        let n: i32 = unsafe { assume_bounds_lower::<_, 0>(n) };
        n
    }

    /// `a / b` rounded toward negative infinity.
    pub fn floor_div(a: i32, b: i32) -> i32 {
        let lhs: Tile<i32, { [] }> = scalar_to_tile(a);
        let rhs: Tile<i32, { [] }> = scalar_to_tile(b);
        let quotient: Tile<i32, { [] }> = divi(lhs, rhs, rounding::NegativeInf);
        let quotient: i32 = tile_to_scalar(quotient);
        quotient
    }

    /// The remainder of `floor_div`: it has the sign of `b`.
    pub fn floor_mod(a: i32, b: i32) -> i32 {
        let lhs: Tile<i32, { [] }> = scalar_to_tile(a);
        let rhs: Tile<i32, { [] }> = scalar_to_tile(b);
        let remainder: Tile<i32, { [] }> = floor_mod_tile(lhs, rhs);
        let remainder: i32 = tile_to_scalar(remainder);
        remainder
    }

    /// The remainder of floor division, element by element: it has the sign of `b`.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn floor_mod_tile<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        let shape: Shape<S> = Shape::<S> { dims: &[] };
        let zero: Tile<E, S> = constant(E::ZERO, shape);
        let remainder: Tile<E, S> = remi(a, b);
        let below: Tile<bool, S> = cmpi(remainder, zero, predicate::LessThan);
        let negative: Tile<bool, S> = cmpi(b, zero, predicate::LessThan);
        let inexact: Tile<bool, S> = cmpi(remainder, zero, predicate::NotEqual);
        let moved: Tile<E, S> = add_wrapping(remainder, b);
        let fixed: Tile<E, S> = select((below ^ negative) & inexact, moved, remainder);
        fixed
    }

    /// A tile of one number that a `half` type has no literal for.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn constant_from<E: ElementType, const S: [i32; N]>(
        value: f64,
        shape: Shape<S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// A tile of one truth value: 0 or 1.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn mask_of<const S: [i32; N]>(value: i32, shape: Shape<S>) -> Tile<bool, S> {
        unreachable!()
    }

    /// The sum of integer tiles of any width, wrapped around.
    #[cuda_tile::op(name = "cuda_tile.addi", since = "V13_2", params = ["a", "b"], named_attributes = ["overflow=none"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn add_wrapping<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// The difference of integer tiles of any width, wrapped around.
    #[cuda_tile::op(name = "cuda_tile.subi", since = "V13_2", params = ["a", "b"], named_attributes = ["overflow=none"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn sub_wrapping<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// The product of integer tiles of any width, wrapped around.
    #[cuda_tile::op(name = "cuda_tile.muli", since = "V13_2", params = ["a", "b"], named_attributes = ["overflow=none"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn mul_wrapping<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// An integer tile of any width, shifted left by `b` bits.
    #[cuda_tile::op(name = "cuda_tile.shli", since = "V13_2", params = ["a", "b"], named_attributes = ["overflow=none"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn shift_left<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// `a / b` with the accuracy of a full-range division.
    #[cuda_tile::op(name = "cuda_tile.divf", since = "V13_2", params = ["a", "b"], named_attributes = ["rounding_mode=full"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn divide_full<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// An integer tile with fewer bits: the low ones.
    #[cuda_tile::op(name = "cuda_tile.trunci", since = "V13_2", params = ["x"], named_attributes = ["overflow=none"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn narrow<EIn: ElementType, EOut: ElementType, const S: [i32; N]>(
        x: Tile<EIn, S>,
    ) -> Tile<EOut, S> {
        unreachable!()
    }

    /// The negative of an integer tile, wrapped around.
    #[cuda_tile::op(name = "cuda_tile.negi", since = "V13_2", params = ["x"], named_attributes = ["overflow=none"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn negate<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<E, S> {
        unreachable!()
    }
}
