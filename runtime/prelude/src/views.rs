//! Arrays cut into tiles, and what is known of arrays only at launch.

#[allow(clippy::too_many_arguments)]
#[cutile::module]
pub mod views {
    use cutile::core::*;

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

    /// Write a tile at `index` of a view without the tensor memory accelerator, in no order with other accesses.
    ///
    /// # Safety
    /// No other lane and no other block may write these elements, and nothing needs an order with this store.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn store_without_tma<'a, E: ElementType, const D: [i32; N]>(
        view: &Partition<'a, E, D>,
        value: Tile<E, D>,
        index: [i32; N],
    ) {
        // SAFETY: no lane is promised to be in bounds; the caller answers for other blocks and for order.
        let _done: Token = unsafe {
            store_view_raw(
                view,
                value,
                index,
                None,
                ordering::Weak,
                scope::TileBlock,
                tma::Disabled,
                None,
                [false; N],
            )
        };
    }

    /// Write a tile at `index` of a view, in no order with other accesses; the hint is how costly, from 1 to 10.
    ///
    /// # Safety
    /// No other lane and no other block may write these elements, and nothing needs an order with this store.
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn store_ahead<'a, E: ElementType, const D: [i32; N]>(
        view: &Partition<'a, E, D>,
        index: [i32; N],
        value: Tile<E, D>,
        latency: Option<i32>,
    ) {
        // SAFETY: no lane is promised to be in bounds; the caller answers for other blocks and for order.
        let _done: Token = unsafe {
            store_view_raw(
                view,
                value,
                index,
                None,
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                latency,
                [false; N],
            )
        };
    }

    /// Write a tile at `index` of an array that is borrowed mutably, without the tensor memory accelerator.
    ///
    /// As for `PartitionMut::store`, that the tile begins inside is seen to: before the launch, else in the kernel.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn put_without_tma<'a, E: ElementType, const D: [i32; N]>(
        view: &mut PartitionMut<'a, E, D>,
        value: Tile<E, D>,
        index: [i32; N],
    ) {
        check_partition_access_mut(view, index);
        // SAFETY: the tile begins inside the array.
        let _done: Token = unsafe {
            store_view_tko_mut(
                view,
                value,
                index,
                ordering::Weak,
                scope::TileBlock,
                None,
                tma::Disabled,
            )
        };
    }

    /// The same with a hint: how costly the store is, from 1 to 10.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn put_ahead_without_tma<'a, E: ElementType, const D: [i32; N]>(
        view: &mut PartitionMut<'a, E, D>,
        value: Tile<E, D>,
        index: [i32; N],
        latency: Option<i32>,
    ) {
        check_partition_access_mut(view, index);
        // SAFETY: the tile begins inside the array.
        let _done: Token = unsafe {
            store_view_tko_mut(
                view,
                value,
                index,
                ordering::Weak,
                scope::TileBlock,
                latency,
                tma::Disabled,
            )
        };
    }

    /// Write a tile at `index` of an array that is borrowed mutably, with a hint: how costly it is, from 1 to 10.
    ///
    /// As for `PartitionMut::store`, that the tile begins inside is seen to: before the launch, else in the kernel.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn put_ahead<'a, E: ElementType, const D: [i32; N]>(
        view: &mut PartitionMut<'a, E, D>,
        value: Tile<E, D>,
        index: [i32; N],
        latency: Option<i32>,
    ) {
        check_partition_access_mut(view, index);
        // SAFETY: the tile begins inside the array.
        let _done: Token = unsafe {
            store_view_tko_mut(
                view,
                value,
                index,
                ordering::Weak,
                scope::TileBlock,
                latency,
                tma::Enabled,
            )
        };
    }

    /// Write a tile at `index` of an array that is borrowed mutably, once what `token` stands for is done.
    ///
    /// As for `PartitionMut::store`, that the tile begins inside is seen to: before the launch, else in the kernel.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn put_after<'a, E: ElementType, const D: [i32; N]>(
        view: &mut PartitionMut<'a, E, D>,
        value: Tile<E, D>,
        index: [i32; N],
        token: Token,
    ) -> Token {
        check_partition_access_mut(view, index);
        // SAFETY: the tile begins inside the array, no lane is promised to be, and waiting takes nothing away.
        let done: Token = unsafe {
            store_view_raw(
                view,
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

    /// The same with a hint: how costly the store is, from 1 to 10.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn put_ahead_after<'a, E: ElementType, const D: [i32; N]>(
        view: &mut PartitionMut<'a, E, D>,
        value: Tile<E, D>,
        index: [i32; N],
        latency: Option<i32>,
        token: Token,
    ) -> Token {
        check_partition_access_mut(view, index);
        // SAFETY: the tile begins inside the array, no lane is promised to be, and waiting takes nothing away.
        let done: Token = unsafe {
            store_view_raw(
                view,
                value,
                index,
                Some(token),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                latency,
                [false; N],
            )
        };
        done
    }
}
