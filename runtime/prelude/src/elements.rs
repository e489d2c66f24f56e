//! Elements of contiguous arrays of rank 1, by their i32 indices.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod elements {
    use crate::gathers_1d::gathers_1d::*;
    use crate::indices::indices::*;
    use crate::scatters_1d::scatters_1d::*;
    use crate::shorthands::shorthands::*;
    use cutile::core::*;

    /// The addresses of the elements of an array of rank 1.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn element_addresses<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
    ) -> PointerTile<*mut E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let addresses: PointerTile<*mut E, R> = addresses_1d(x, widen(index, shape), [1i32], shape);
        addresses
    }

    /// Which elements exist of an array of rank 1.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn element_in_bounds<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
    ) -> Tile<bool, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let inside: Tile<bool, R> = in_bounds_1d(x, widen(index, shape), shape);
        inside
    }

    /// The elements of an array of rank 1; 0 where an index lies outside.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_elements<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_1d(x, widen(index, shape), [1i32], shape);
        elements
    }

    /// The elements of an array of rank 1; `padding` where an index lies outside.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_elements_padded<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_padded_1d(x, widen(index, shape), [1i32], shape, padding);
        elements
    }

    /// The elements of an array of rank 1; 0 where an index lies outside or `mask` is false.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_elements_masked<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> = gather_masked_1d(x, widen(index, shape), [1i32], shape, mask);
        elements
    }

    /// The elements of an array of rank 1; `padding` where an index lies outside or `mask` is false.
    /// The last axis is contiguous.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn gather_elements_masked_padded<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        mask: Tile<bool, R>,
        padding: Tile<E, R>,
    ) -> Tile<E, R> {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        let elements: Tile<E, R> =
            gather_masked_padded_1d(x, widen(index, shape), [1i32], shape, mask, padding);
        elements
    }

    /// Write the elements of an array of rank 1; those outside are dropped.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_elements<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        value: Tile<E, R>,
    ) {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        unsafe { scatter_1d(x, widen(index, shape), [1i32], shape, value) };
    }

    /// Write the elements of an array of rank 1; those outside are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_elements_after<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        let done: Token =
            unsafe { scatter_after_1d(x, widen(index, shape), [1i32], shape, value, token) };
        done
    }

    /// Write the elements of an array of rank 1; those outside or with a false `mask` are dropped.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_elements_masked<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
    ) {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        unsafe { scatter_masked_1d(x, widen(index, shape), [1i32], shape, mask, value) };
    }

    /// Write the elements of an array of rank 1; those outside or with a false `mask` are dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// The last axis is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn scatter_elements_masked_after<
        E: ElementType,
        const S: [i32; M],
        const R: [i32; N],
    >(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        mask: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
    ) -> Token {
        let shape: Shape<R> = Shape::<R> { dims: &[] };
        // SAFETY: the strides are the array's own; the caller answers for the rest.
        let done: Token = unsafe {
            scatter_masked_after_1d(x, widen(index, shape), [1i32], shape, mask, value, token)
        };
        done
    }

    /// The element at this index of an array of rank 1; 0 where it lies outside.
    ///
    /// # Safety
    /// `DIVISOR` divides the size of an element in bytes, and the array is contiguous.
    pub unsafe fn element<E: ElementType, const DIVISOR: i32>(
        x: &Tensor<E, { [-1] }>,
        index: i32,
    ) -> Tile<E, { [] }> {
        let narrow: Tile<i32, { [] }> = scalar_to_tile(index);
        let wide: Tile<i64, { [] }> = exti(narrow);
        let narrow: Tile<i32, { [] }> = scalar_to_tile(x.shape()[0]);
        let extent: Tile<i64, { [] }> = exti(narrow);
        let base: PointerTile<*mut E, { [] }> = get_tensor_base(x);
        let inside: Tile<bool, { [] }> = less_unsigned(wide, extent);
        let one: Tile<i64, { [] }> = constant(1i64, shape![]);
        let address: PointerTile<*mut E, { [] }> = base.offset_tile(wide * one);
        // SAFETY: the caller vouches for the size of an element.
        let address: PointerTile<*mut E, { [] }> = unsafe { assume_div_by::<_, DIVISOR>(address) };
        let zero: Tile<E, { [] }> = constant(E::ZERO, shape![]);
        // SAFETY: `inside` holds only where the index is inside the array.
        let element: Tile<E, { [] }> = unsafe { read_at_masked(address, inside, zero) };
        element
    }

    /// Write the element at this index of an array of rank 1; one outside is dropped.
    ///
    /// # Safety
    /// `DIVISOR` divides the size of an element in bytes, and the array is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    pub unsafe fn write_element<E: ElementType, const DIVISOR: i32>(
        x: &Tensor<E, { [-1] }>,
        index: i32,
        value: Tile<E, { [] }>,
    ) {
        let narrow: Tile<i32, { [] }> = scalar_to_tile(index);
        let wide: Tile<i64, { [] }> = exti(narrow);
        let narrow: Tile<i32, { [] }> = scalar_to_tile(x.shape()[0]);
        let extent: Tile<i64, { [] }> = exti(narrow);
        let base: PointerTile<*mut E, { [] }> = get_tensor_base(x);
        let inside: Tile<bool, { [] }> = less_unsigned(wide, extent);
        let one: Tile<i64, { [] }> = constant(1i64, shape![]);
        let address: PointerTile<*mut E, { [] }> = base.offset_tile(wide * one);
        // SAFETY: the caller vouches for the size of an element.
        let address: PointerTile<*mut E, { [] }> = unsafe { assume_div_by::<_, DIVISOR>(address) };
        // SAFETY: `inside` holds only where the index is inside; the caller answers for the rest.
        unsafe { write_at_masked(address, value, inside) };
    }

    /// Write the element at this index of an array of rank 1; one outside is dropped.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// `DIVISOR` divides the size of an element in bytes, and the array is contiguous.
    /// No other lane and no other block may write these elements, and tokens order this store against every access
    /// to them that it must come before or after.
    pub unsafe fn write_element_after<E: ElementType, const DIVISOR: i32>(
        x: &Tensor<E, { [-1] }>,
        index: i32,
        value: Tile<E, { [] }>,
        token: Token,
    ) -> Token {
        let narrow: Tile<i32, { [] }> = scalar_to_tile(index);
        let wide: Tile<i64, { [] }> = exti(narrow);
        let narrow: Tile<i32, { [] }> = scalar_to_tile(x.shape()[0]);
        let extent: Tile<i64, { [] }> = exti(narrow);
        let base: PointerTile<*mut E, { [] }> = get_tensor_base(x);
        let inside: Tile<bool, { [] }> = less_unsigned(wide, extent);
        let one: Tile<i64, { [] }> = constant(1i64, shape![]);
        let address: PointerTile<*mut E, { [] }> = base.offset_tile(wide * one);
        // SAFETY: the caller vouches for the size of an element.
        let address: PointerTile<*mut E, { [] }> = unsafe { assume_div_by::<_, DIVISOR>(address) };
        // SAFETY: `inside` holds only where the index is inside; the caller answers for the rest.
        let done: Token = unsafe { write_at_masked_after(address, value, inside, token) };
        done
    }

    /// Add to the elements at these addresses where `mask`, each addition at once for the whole device and in no
    /// order with other accesses; what was there before.
    ///
    /// # Safety
    /// Every address where `mask` must be writable.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn add_at_masked<E: ElementType, const R: [i32; N]>(
        addresses: PointerTile<*mut E, R>,
        value: Tile<E, R>,
        mask: Tile<bool, R>,
    ) -> Tile<E, R> {
        // SAFETY: the caller vouches for the addresses, and that no order matters.
        let (before, _done): (Tile<E, R>, Token) = unsafe {
            atomic_rmw_tko(
                addresses,
                value,
                atomic::Add,
                ordering::Relaxed,
                scope::Device,
                Some(mask),
                None,
            )
        };
        before
    }

    /// Add to elements with these indices; those outside are left out. What the elements were before.
    ///
    /// # Safety
    /// Additions are relaxed: no access may need an order with them.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn add_to_elements<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        index: Tile<i32, R>,
        value: Tile<E, R>,
    ) -> Tile<E, R> {
        let addresses: PointerTile<*mut E, R> = element_addresses(x, index);
        let inside: Tile<bool, R> = element_in_bounds(x, index);
        // SAFETY: `inside` holds only where the index is inside; the caller answers for the rest.
        let before: Tile<E, R> = unsafe { add_at_masked(addresses, value, inside) };
        before
    }
}
