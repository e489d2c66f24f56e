//! Elements of one row of an array of rank 2 whose rows are contiguous, by their i32 columns.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod rows {
    use crate::gathers_2d::gathers_2d::*;
    use crate::indices::indices::*;
    use crate::scatters_2d::scatters_2d::*;
    use crate::views::views::*;
    use cutile::core::*;

    /// The addresses of the elements in these columns of one row of an array of rank 2.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn row_addresses<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
    ) -> PointerTile<*mut E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let addresses: PointerTile<*mut E, R> = addresses_2d(
            x,
            wide(row, shape),
            widen(columns, shape),
            [strides(x)[0], 1i32],
            shape,
        );
        addresses
    }

    /// Which elements exist in these columns of one row of an array of rank 2.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn row_in_bounds<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
    ) -> Tile<bool, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let inside: Tile<bool, R> = in_bounds_2d(x, wide(row, shape), widen(columns, shape), shape);
        inside
    }

    /// The elements in these columns of one row of an array of rank 2; 0 where an index lies outside.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_row<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_2d(
            x,
            wide(row, shape),
            widen(columns, shape),
            [strides(x)[0], 1i32],
            shape,
        );
        elements
    }

    /// The elements in these columns of one row of an array of rank 2; `padding` where an index lies outside.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_row_padded<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_padded_2d(
            x,
            wide(row, shape),
            widen(columns, shape),
            [strides(x)[0], 1i32],
            shape,
            padding,
        );
        elements
    }

    /// The elements in these columns of one row of an array of rank 2; 0 where an index lies outside or `mask` is false.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_row_masked<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_masked_2d(
            x,
            wide(row, shape),
            widen(columns, shape),
            [strides(x)[0], 1i32],
            shape,
            mask,
        );
        elements
    }

    /// The elements in these columns of one row of an array of rank 2; `padding` where an index lies outside or `mask` is false.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_row_masked_padded<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_masked_padded_2d(
            x,
            wide(row, shape),
            widen(columns, shape),
            [strides(x)[0], 1i32],
            shape,
            mask,
            padding,
        );
        elements
    }

    /// Write the elements in these columns of one row of an array of rank 2; those outside are dropped.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_row<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        value: Tile<E, R>,
    ) {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        unsafe {
            scatter_2d(
                x,
                wide(row, shape),
                widen(columns, shape),
                [strides(x)[0], 1i32],
                shape,
                value,
            )
        };
    }

    /// Write the elements in these columns of one row of an array of rank 2; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_row_after<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        let done: Token = unsafe {
            scatter_after_2d(
                x,
                wide(row, shape),
                widen(columns, shape),
                [strides(x)[0], 1i32],
                shape,
                value,
                token,
            )
        };
        done
    }

    /// Write the elements in these columns of one row of an array of rank 2; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_row_masked<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        unsafe {
            scatter_masked_2d(
                x,
                wide(row, shape),
                widen(columns, shape),
                [strides(x)[0], 1i32],
                shape,
                mask,
                value,
            )
        };
    }

    /// Write the elements in these columns of one row of an array of rank 2; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_row_masked_after<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        row: i32,
        columns: Tile<i32, R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        let done: Token = unsafe {
            scatter_masked_after_2d(
                x,
                wide(row, shape),
                widen(columns, shape),
                [strides(x)[0], 1i32],
                shape,
                mask,
                value,
                token,
            )
        };
        done
    }
}
