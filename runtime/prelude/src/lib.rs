//! Tile recipes that lifted kernels call: what a front end spells out in many operations is one call here.
//!
//! The functions mirror the source front end: `load` and `store` move one tile between an array and registers,
//! `gather` and `scatter` address elements. They hold no checks of their own: an index that lies wholly outside an
//! array is as undefined as in the source, a partly outside tile is masked.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod prelude {
    use cutile::core::*;

    // ---- numbers ------------------------------------------------------------------------------------------------

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

    // ---- views --------------------------------------------------------------------------------------------------

    /// An array cut into tiles; lanes outside the array are undefined.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn tiles<'a, E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        shape: Shape<R>,
    ) -> Partition<'a, E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::None, dim_map::Identity, token) };
        view
    }

    /// An array cut into tiles whose axes are the array's in another order; lanes outside are undefined.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn tiles_permuted<
        'a,
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        shape: Shape<R>,
        order: Array<I>,
    ) -> Partition<'a, E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::None, order, token) };
        view
    }

    /// The strides of an array that are known only at launch, in axis order.
    #[cuda_tile::variadic_op(N = 6)]
    #[cuda_tile::compiler_op(name = "return_type_meta_field", type_meta_field = "strides")]
    pub fn strides<'s, E: ElementType, const S: [i32; N]>(tensor: &Tensor<E, S>) -> Shape<'s, S> {
        unreachable!()
    }

    /// The extents of an array that are known only at launch, in axis order.
    #[cuda_tile::variadic_op(N = 6)]
    #[cuda_tile::compiler_op(name = "return_type_meta_field", type_meta_field = "shape")]
    pub fn extents<'s, E: ElementType, const S: [i32; N]>(tensor: &Tensor<E, S>) -> Shape<'s, S> {
        unreachable!()
    }

    // ---- tile loads ---------------------------------------------------------------------------------------------

    /// The tile at `index`, counted in tiles; lanes outside the array are undefined.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::None, dim_map::Identity, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles; lanes outside the array read 0.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_zero<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::Zero, dim_map::Identity, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles; lanes outside the array read -0.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_neg_zero<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::NegZero, dim_map::Identity, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles; lanes outside the array read NaN.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_nan<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::Nan, dim_map::Identity, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles; lanes outside the array read +infinity.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_pos_inf<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::PosInf, dim_map::Identity, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles; lanes outside the array read -infinity.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_neg_inf<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::NegInf, dim_map::Identity, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles whose axes are the array's in `order`; lanes outside the array are undefined.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_permuted<
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
        order: Array<I>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::None, order, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles whose axes are the array's in `order`; lanes outside the array read 0.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_permuted_zero<
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
        order: Array<I>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::Zero, order, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles whose axes are the array's in `order`; lanes outside the array read -0.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_permuted_neg_zero<
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
        order: Array<I>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::NegZero, order, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles whose axes are the array's in `order`; lanes outside the array read NaN.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_permuted_nan<
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
        order: Array<I>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::Nan, order, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles whose axes are the array's in `order`; lanes outside the array read +infinity.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_permuted_pos_inf<
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
        order: Array<I>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::PosInf, order, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The tile at `index`, counted in tiles whose axes are the array's in `order`; lanes outside the array read -infinity.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_permuted_neg_inf<
        E: ElementType,
        const S: [i32; N],
        const R: [i32; N],
        const I: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: [i32; N],
        shape: Shape<R>,
        order: Array<I>,
    ) -> Tile<E, R> {
        let token: Token = get_tensor_token(x);
        // SAFETY: the view starts from the array's own token and stays here.
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::NegInf, order, token) };
        let tile: Tile<E, R> = load_view_tko(
            &view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    // ---- tile stores --------------------------------------------------------------------------------------------

    /// Write a tile at `index`, counted in tiles; lanes outside the array are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn store<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        value: Tile<E, R>,
        shape: Shape<R>,
    ) {
        let origin: Token = get_tensor_token(x);
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::None, dim_map::Identity, origin) };
        let _done: Token = unsafe {
            store_view_raw(
                &view,
                value,
                index,
                Some(origin),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                None,
                [false; N],
            )
        };
    }

    /// Write a tile at `index`, counted in tiles; lanes outside the array are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn store_after<E: ElementType, const S: [i32; N], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: [i32; N],
        value: Tile<E, R>,
        shape: Shape<R>,
        token: Token,
    ) -> Token {
        let origin: Token = get_tensor_token(x);
        let view: Partition<E, R> =
            unsafe { make_partition_view(x, shape, padding::None, dim_map::Identity, origin) };
        let done: Token = unsafe {
            store_view_raw(
                &view,
                value,
                index,
                Some(token),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                None,
                [false; N],
            )
        };
        done
    }

    // ---- element indices ----------------------------------------------------------------------------------------

    /// A number as an index tile of this shape.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn wide<const R: [i32; N]>(i: i32, shape: Shape<R>) -> Tile<i64, R> {
        let ones: Shape<{ [1; N] }> = Shape::<{ [1; N] }> { dims: &[1i32; N] };
        let narrow: Tile<i32, { [] }> = scalar_to_tile(i);
        let wide: Tile<i64, { [] }> = exti(narrow);
        let wide: Tile<i64, R> = wide.reshape(ones).broadcast(shape);
        wide
    }

    /// A tile of numbers as an index tile of this shape.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn widen<const S: [i32; N], const R: [i32; N]>(
        i: Tile<i32, S>,
        shape: Shape<R>,
    ) -> Tile<i64, R> {
        let wide: Tile<i64, S> = exti(i);
        let wide: Tile<i64, R> = wide.broadcast(shape);
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
        let extent: i32 = non_negative(extent);
        let narrow: Tile<i32, { [] }> = scalar_to_tile(extent);
        let bound: Tile<i64, { [] }> = exti(narrow);
        let bound: Tile<i64, R> = bound.reshape(ones).broadcast(shape);
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

    // ---- element access -----------------------------------------------------------------------------------------

    /// `load_ptr_tko` with a tile of padding, at any rank.
    ///
    /// # Safety
    /// As for `load_ptr_tko`: every unmasked address must be readable.
    #[cuda_tile::variadic_op(N = 6)]
    #[cuda_tile::op(name = "cuda_tile.load_ptr_tko", since = "V13_2", params = ["source"])]
    pub unsafe fn load_ptr_padded<
        E: ElementType,
        P: PointerTo<E>,
        const S: [i32; N],
        O: ordering::LoadMode,
        Sc: scope::Mode,
        const CYCLES: i32,
    >(
        source: PointerTile<P, S>,
        memory_ordering: O,
        memory_scope: Option<Sc>,
        mask: Option<Tile<bool, S>>,
        padding_value: Option<Tile<E, S>>,
        token: Option<Token>,
        latency: Latency<CYCLES>,
    ) -> (Tile<E, S>, Token) {
        unreachable!()
    }

    /// The addresses that lie `offset` elements behind the start of an array.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn addresses_of<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        offset: Tile<i64, R>,
        shape: Shape<R>,
    ) -> PointerTile<*mut E, R> {
        let ones: Shape<{ [1; N] }> = Shape::<{ [1; N] }> { dims: &[1i32; N] };
        let base: PointerTile<*mut E, { [] }> = get_tensor_base(x);
        let base: PointerTile<*mut E, { [1; N] }> = base.reshape(ones);
        let base: PointerTile<*mut E, R> = base.broadcast(shape);
        let addresses: PointerTile<*mut E, R> = base.offset_tile(offset);
        addresses
    }

    /// The addresses of the elements at these indices of an array of rank 1.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn addresses_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
    ) -> PointerTile<*mut E, R> {
        let offset: Tile<i64, R> = index0 * wide(stride[0], shape);
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        addresses
    }

    /// Where the indices lie inside an array of rank 1.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn in_bounds_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        shape: Shape<R>,
    ) -> Tile<bool, R> {
        let extent = x.shape();
        let inside: Tile<bool, R> = below(index0, extent[0], shape);
        inside
    }

    /// The elements at these indices of an array of rank 1; 0 where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 1; `padding` where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_padded_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 1; those outside are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 1; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_after_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The elements at these indices of an array of rank 1; 0 where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0 & mask;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 1; `padding` where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_padded_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0 & mask;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 1; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0 & mask;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 1; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_after_1d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        stride: [i32; 1],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside: Tile<bool, R> = inside0 & mask;
        let offset: Tile<i64, R> = term0;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The addresses of the elements at these indices of an array of rank 2.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn addresses_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
    ) -> PointerTile<*mut E, R> {
        let offset: Tile<i64, R> =
            index0 * wide(stride[0], shape) + index1 * wide(stride[1], shape);
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        addresses
    }

    /// Where the indices lie inside an array of rank 2.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn in_bounds_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        shape: Shape<R>,
    ) -> Tile<bool, R> {
        let extent = x.shape();
        let inside: Tile<bool, R> =
            below(index0, extent[0], shape) & below(index1, extent[1], shape);
        inside
    }

    /// The elements at these indices of an array of rank 2; 0 where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 2; `padding` where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_padded_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 2; those outside are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 2; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_after_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The elements at these indices of an array of rank 2; 0 where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & mask;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 2; `padding` where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_padded_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & mask;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 2; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & mask;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 2; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_after_2d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        stride: [i32; 2],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & mask;
        let offset: Tile<i64, R> = term0 + term1;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The addresses of the elements at these indices of an array of rank 3.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn addresses_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
    ) -> PointerTile<*mut E, R> {
        let offset: Tile<i64, R> = index0 * wide(stride[0], shape)
            + index1 * wide(stride[1], shape)
            + index2 * wide(stride[2], shape);
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        addresses
    }

    /// Where the indices lie inside an array of rank 3.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn in_bounds_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        shape: Shape<R>,
    ) -> Tile<bool, R> {
        let extent = x.shape();
        let inside: Tile<bool, R> = below(index0, extent[0], shape)
            & below(index1, extent[1], shape)
            & below(index2, extent[2], shape);
        inside
    }

    /// The elements at these indices of an array of rank 3; 0 where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 3; `padding` where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_padded_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 3; those outside are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 3; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_after_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The elements at these indices of an array of rank 3; 0 where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 3; `padding` where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_padded_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 3; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 3; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_after_3d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        stride: [i32; 3],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The addresses of the elements at these indices of an array of rank 4.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn addresses_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
    ) -> PointerTile<*mut E, R> {
        let offset: Tile<i64, R> = index0 * wide(stride[0], shape)
            + index1 * wide(stride[1], shape)
            + index2 * wide(stride[2], shape)
            + index3 * wide(stride[3], shape);
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        addresses
    }

    /// Where the indices lie inside an array of rank 4.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn in_bounds_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        shape: Shape<R>,
    ) -> Tile<bool, R> {
        let extent = x.shape();
        let inside: Tile<bool, R> = below(index0, extent[0], shape)
            & below(index1, extent[1], shape)
            & below(index2, extent[2], shape)
            & below(index3, extent[3], shape);
        inside
    }

    /// The elements at these indices of an array of rank 4; 0 where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 4; `padding` where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_padded_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 4; those outside are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 4; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_after_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The elements at these indices of an array of rank 4; 0 where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 4; `padding` where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_padded_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 4; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 4; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_after_4d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        stride: [i32; 4],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The addresses of the elements at these indices of an array of rank 5.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn addresses_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
    ) -> PointerTile<*mut E, R> {
        let offset: Tile<i64, R> = index0 * wide(stride[0], shape)
            + index1 * wide(stride[1], shape)
            + index2 * wide(stride[2], shape)
            + index3 * wide(stride[3], shape)
            + index4 * wide(stride[4], shape);
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        addresses
    }

    /// Where the indices lie inside an array of rank 5.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn in_bounds_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        shape: Shape<R>,
    ) -> Tile<bool, R> {
        let extent = x.shape();
        let inside: Tile<bool, R> = below(index0, extent[0], shape)
            & below(index1, extent[1], shape)
            & below(index2, extent[2], shape)
            & below(index3, extent[3], shape)
            & below(index4, extent[4], shape);
        inside
    }

    /// The elements at these indices of an array of rank 5; 0 where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 5; `padding` where an index lies outside.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_padded_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 5; those outside are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 5; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_after_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// The elements at these indices of an array of rank 5; 0 where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these indices of an array of rank 5; `padding` where an index lies outside or `mask` is false.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_masked_padded_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: only elements inside the array are read.
        let (elements, _done): (Tile<E, R>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(padding),
                Some(token),
                Latency::<0>,
            )
        };
        elements
    }

    /// Write the elements at these indices of an array of rank 5; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(origin),
                Latency::<0>,
            )
        };
    }

    /// Write the elements at these indices of an array of rank 5; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// No other block may write these elements, and no access to them may lack an order that the kernel needs.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_masked_after_5d<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index0: Tile<i64, R>,
        index1: Tile<i64, R>,
        index2: Tile<i64, R>,
        index3: Tile<i64, R>,
        index4: Tile<i64, R>,
        stride: [i32; 5],
        shape: Shape<R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let extent = x.shape();
        let inside0: Tile<bool, R> = below(index0, extent[0], shape);
        let term0: Tile<i64, R> = index0 * wide(stride[0], shape);
        let inside1: Tile<bool, R> = below(index1, extent[1], shape);
        let term1: Tile<i64, R> = index1 * wide(stride[1], shape);
        let inside2: Tile<bool, R> = below(index2, extent[2], shape);
        let term2: Tile<i64, R> = index2 * wide(stride[2], shape);
        let inside3: Tile<bool, R> = below(index3, extent[3], shape);
        let term3: Tile<i64, R> = index3 * wide(stride[3], shape);
        let inside4: Tile<bool, R> = below(index4, extent[4], shape);
        let term4: Tile<i64, R> = index4 * wide(stride[4], shape);
        let inside: Tile<bool, R> = inside0 & inside1 & inside2 & inside3 & inside4 & mask;
        let offset: Tile<i64, R> = term0 + term1 + term2 + term3 + term4;
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(inside),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }
}
