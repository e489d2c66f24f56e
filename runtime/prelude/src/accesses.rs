//! Single elements read and written at given offsets: what every gather and scatter ends in.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod accesses {
    use cutile::core::*;

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
        let base: PointerTile<*mut E, { [1; N] }> = reshape_ptr(base, ones);
        let base: PointerTile<*mut E, R> = broadcast_ptr(base, shape);
        let addresses: PointerTile<*mut E, R> = base.offset_tile(offset);
        addresses
    }

    /// The elements that lie `offset` behind the start of an array, where `inside`; 0 elsewhere.
    ///
    /// # Safety
    /// Where `inside`, the offset is that of an element of the array.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn read<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        offset: Tile<i64, R>,
        inside: Tile<bool, R>,
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let padding: Tile<E, R> = constant(E::ZERO, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: the caller vouches for the offsets, the array is alive while it is borrowed, and its own
        // token orders the read as any other of the array.
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

    /// The elements that lie `offset` behind the start of an array, where `inside`; `padding` elsewhere.
    ///
    /// # Safety
    /// Where `inside`, the offset is that of an element of the array.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn read_padded<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        offset: Tile<i64, R>,
        inside: Tile<bool, R>,
        padding: Tile<E, R>,
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let token: Token = get_tensor_token(x);
        // SAFETY: the caller vouches for the offsets, the array is alive while it is borrowed, and its own
        // token orders the read as any other of the array.
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

    /// Write the elements that lie `offset` behind the start of an array, where `inside`.
    ///
    /// # Safety
    /// Where `inside`, the offset is that of an element of the array, which no other lane and no other block
    /// writes; every access to it that this one must come before or after is ordered by tokens.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn write<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        offset: Tile<i64, R>,
        inside: Tile<bool, R>,
        value: Tile<E, R>,
        shape: Shape<R>,
    ) {
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        let origin: Token = get_tensor_token(x);
        // SAFETY: the caller vouches for the offsets, for other writers and for order; the array is alive
        // while it is borrowed.
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

    /// Write the elements that lie `offset` behind the start of an array, where `inside`.
    /// The store waits for `token` and gives the token of its completion.
    ///
    /// # Safety
    /// Where `inside`, the offset is that of an element of the array, which no other lane and no other block
    /// writes; every access to it that this one must come before or after is ordered by tokens.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub unsafe fn write_after<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: &Tensor<E, S>,
        offset: Tile<i64, R>,
        inside: Tile<bool, R>,
        value: Tile<E, R>,
        token: Token,
        shape: Shape<R>,
    ) -> Token {
        let addresses: PointerTile<*mut E, R> = addresses_of(x, offset, shape);
        // SAFETY: the caller vouches for the offsets, for other writers and for order; the array is alive
        // while it is borrowed.
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
