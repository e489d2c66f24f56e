//! Operations with the attributes that nearly every kernel gives them.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod shorthands {
    use crate::accesses::accesses::*;
    use cutile::core::*;

    /// `a * b + c`, rounded once to the nearest even number.
    #[cuda_tile::op(name = "cuda_tile.fma", since = "V13_2", params = ["a", "b", "c"], named_attributes = ["rounding_mode=nearest_even"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn mul_add<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
        c: Tile<E, S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// `a / b` with the accuracy of the fast division, numbers too small to be normal taken for 0.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn divide_fast<E: ElementType, const S: [i32; N]>(
        a: Tile<E, S>,
        b: Tile<E, S>,
    ) -> Tile<E, S> {
        let quotient: Tile<E, S> = divf(a, b, rounding::Approx, ftz::Enabled);
        quotient
    }

    /// `e^x` of single precision, approximate.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn exp_fast<const S: [i32; N]>(x: Tile<f32, S>) -> Tile<f32, S> {
        // SAFETY: single precision has an approximate exponential.
        let power: Tile<f32, S> = unsafe { exp_with_rounding(x, rounding::Approx) };
        power
    }

    /// The hyperbolic tangent of single precision, approximate.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn tanh_fast<const S: [i32; N]>(x: Tile<f32, S>) -> Tile<f32, S> {
        // SAFETY: single precision has an approximate hyperbolic tangent.
        let tangent: Tile<f32, S> = unsafe { tanh_with_rounding(x, rounding::Approx) };
        tangent
    }

    /// The tile at `index` of a view, in no order with other accesses.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_from<'a, E: ElementType, const D: [i32; N]>(
        view: &Partition<'a, E, D>,
        index: [i32; N],
    ) -> Tile<E, D> {
        let tile: Tile<E, D> = load_view_tko(
            view,
            index,
            ordering::Weak,
            scope::TileBlock,
            None,
            tma::Enabled,
        );
        tile
    }

    /// The same with a hint: how costly the load is, from 1 to 10.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn load_ahead<'a, E: ElementType, const D: [i32; N]>(
        view: &Partition<'a, E, D>,
        index: [i32; N],
        latency: Option<i32>,
    ) -> Tile<E, D> {
        let tile: Tile<E, D> = load_view_tko(
            view,
            index,
            ordering::Weak,
            scope::TileBlock,
            latency,
            tma::Enabled,
        );
        tile
    }

    /// The elements at these addresses, in no order with other accesses.
    ///
    /// # Safety
    /// Every address must be readable.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn read_at<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        padding: Tile<E, S>,
    ) -> Tile<E, S> {
        // SAFETY: the caller vouches for the addresses.
        let (elements, _done): (Tile<E, S>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                Some(padding),
                None,
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these addresses where `mask`, in no order with other accesses; `padding` elsewhere.
    ///
    /// # Safety
    /// Every address where `mask` must be readable.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn read_at_masked<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        mask: Tile<bool, S>,
        padding: Tile<E, S>,
    ) -> Tile<E, S> {
        // SAFETY: the caller vouches for the addresses.
        let (elements, _done): (Tile<E, S>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(mask),
                Some(padding),
                None,
                Latency::<0>,
            )
        };
        elements
    }

    /// The elements at these addresses, in no order with other accesses.
    /// The hint is a latency of 1.
    ///
    /// # Safety
    /// Every address must be readable.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn read_at_latency_1<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        padding: Tile<E, S>,
    ) -> Tile<E, S> {
        // SAFETY: the caller vouches for the addresses.
        let (elements, _done): (Tile<E, S>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                Some(padding),
                None,
                Latency::<1>,
            )
        };
        elements
    }

    /// The elements at these addresses where `mask`, in no order with other accesses; `padding` elsewhere.
    /// The hint is a latency of 1.
    ///
    /// # Safety
    /// Every address where `mask` must be readable.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn read_at_masked_latency_1<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        mask: Tile<bool, S>,
        padding: Tile<E, S>,
    ) -> Tile<E, S> {
        // SAFETY: the caller vouches for the addresses.
        let (elements, _done): (Tile<E, S>, Token) = unsafe {
            load_ptr_padded(
                addresses,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(mask),
                Some(padding),
                None,
                Latency::<1>,
            )
        };
        elements
    }

    /// Write elements to these addresses, in no order with other accesses.
    ///
    /// # Safety
    /// Every address must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
    ) {
        // SAFETY: the caller vouches for the addresses, for other writers and that no order matters.
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                None,
                Latency::<0>,
            )
        };
    }

    /// Write elements to these addresses, after what `token` stands for; the token of its completion.
    ///
    /// # Safety
    /// Every address must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_after<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
        token: Token,
    ) -> Token {
        // SAFETY: the caller vouches for the addresses, for other writers and for order.
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// Write elements to these addresses where `mask`, in no order with other accesses.
    ///
    /// # Safety
    /// Every address where `mask` must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_masked<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
        mask: Tile<bool, S>,
    ) {
        // SAFETY: the caller vouches for the addresses, for other writers and that no order matters.
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(mask),
                None,
                Latency::<0>,
            )
        };
    }

    /// Write elements to these addresses where `mask`, after what `token` stands for; the token of its completion.
    ///
    /// # Safety
    /// Every address where `mask` must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_masked_after<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
        mask: Tile<bool, S>,
        token: Token,
    ) -> Token {
        // SAFETY: the caller vouches for the addresses, for other writers and for order.
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(mask),
                Some(token),
                Latency::<0>,
            )
        };
        done
    }

    /// Write elements to these addresses, in no order with other accesses.
    /// The hint is a latency of 1.
    ///
    /// # Safety
    /// Every address must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_latency_1<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
    ) {
        // SAFETY: the caller vouches for the addresses, for other writers and that no order matters.
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                None,
                Latency::<1>,
            )
        };
    }

    /// Write elements to these addresses, after what `token` stands for; the token of its completion.
    /// The hint is a latency of 1.
    ///
    /// # Safety
    /// Every address must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_after_latency_1<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
        token: Token,
    ) -> Token {
        // SAFETY: the caller vouches for the addresses, for other writers and for order.
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                Some(token),
                Latency::<1>,
            )
        };
        done
    }

    /// Write elements to these addresses where `mask`, in no order with other accesses.
    /// The hint is a latency of 1.
    ///
    /// # Safety
    /// Every address where `mask` must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_masked_latency_1<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
        mask: Tile<bool, S>,
    ) {
        // SAFETY: the caller vouches for the addresses, for other writers and that no order matters.
        let _done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(mask),
                None,
                Latency::<1>,
            )
        };
    }

    /// Write elements to these addresses where `mask`, after what `token` stands for; the token of its completion.
    /// The hint is a latency of 1.
    ///
    /// # Safety
    /// Every address where `mask` must be writable, by no other lane and no other block.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn write_at_masked_after_latency_1<E: ElementType, const S: [i32; N]>(
        addresses: PointerTile<*mut E, S>,
        value: Tile<E, S>,
        mask: Tile<bool, S>,
        token: Token,
    ) -> Token {
        // SAFETY: the caller vouches for the addresses, for other writers and for order.
        let done: Token = unsafe {
            store_ptr_tko(
                addresses,
                value,
                ordering::Weak,
                None::<scope::TileBlock>,
                Some(mask),
                Some(token),
                Latency::<1>,
            )
        };
        done
    }
}
