//! Index tiles, constants and conversions whose result says its type, so that they can stand inside other calls.

#[cutile::module]
pub mod casts {
    use cutile::core::*;

    /// The numbers `0, 1, ..` of a tile of rank 1.
    pub fn arange<const S: [i32; 1]>(shape: Shape<S>) -> Tile<i32, S> {
        let numbers: Tile<i32, S> = iota(shape);
        numbers
    }

    /// The numbers `start, start + 1, ..` of a tile of rank 1.
    pub fn arange_from<const S: [i32; 1]>(start: i32, shape: Shape<S>) -> Tile<i32, S> {
        let numbers: Tile<i32, S> = iota(shape);
        let start: Tile<i32, S> = broadcast_scalar(start, shape);
        let numbers: Tile<i32, S> = start + numbers;
        numbers
    }

    /// The numbers as f32, rounded to the nearest even one; f32 as it is.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn to_f32<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<f32, S> {
        let converted: Tile<f32, S> = convert_tile(x);
        converted
    }

    /// The numbers as f16, rounded to the nearest even one; f16 as it is.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn to_f16<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<f16, S> {
        let converted: Tile<f16, S> = convert_tile(x);
        converted
    }

    /// The numbers as bf16, rounded to the nearest even one; bf16 as it is.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn to_bf16<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<bf16, S> {
        let converted: Tile<bf16, S> = convert_tile(x);
        converted
    }

    /// The numbers as tf32, rounded to the nearest even one; tf32 as it is.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn to_tf32<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<tf32, S> {
        let converted: Tile<tf32, S> = convert_tile(x);
        converted
    }

    /// The floats without their fractions.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn to_i32<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<i32, S> {
        let converted: Tile<i32, S> = convert_tile(x);
        converted
    }

    /// Shorter integers as i64; their sign goes on.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn to_i64<E: ElementType, const S: [i32; N]>(x: Tile<E, S>) -> Tile<i64, S> {
        let converted: Tile<i64, S> = exti(x);
        converted
    }

    /// The numbers as the elements of an array, rounded to the nearest even one.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn cast_for<E: ElementType, EIn: ElementType, const A: [i32; M], const S: [i32; N]>(
        array: &Tensor<E, A>,
        x: Tile<EIn, S>,
    ) -> Tile<E, S> {
        let _type = array;
        let converted: Tile<E, S> = convert_tile(x);
        converted
    }

    /// A tile of one number; `value` is a literal.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn constant_f32<const S: [i32; N]>(value: f64, shape: Shape<S>) -> Tile<f32, S> {
        unreachable!()
    }

    /// A tile of one number; `value` is a literal.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn constant_i32<const S: [i32; N]>(value: i32, shape: Shape<S>) -> Tile<i32, S> {
        unreachable!()
    }

    /// A tile of one number; `value` is a literal.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn constant_i64<const S: [i32; N]>(value: i32, shape: Shape<S>) -> Tile<i64, S> {
        unreachable!()
    }

    /// A tile of one number of an array's element type; `value` is a literal.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn constant_for<E: ElementType, const A: [i32; M], const S: [i32; N]>(
        array: &Tensor<E, A>,
        value: f64,
        shape: Shape<S>,
    ) -> Tile<E, S> {
        unreachable!()
    }

    /// A tile of one number; `value` is a literal.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn constant_f16<const S: [i32; N]>(value: f64, shape: Shape<S>) -> Tile<f16, S> {
        unreachable!()
    }

    /// A tile of one number; `value` is a literal.
    #[cuda_tile::op(name = "cuda_tile.constant", since = "V13_2", params = [], attribute_params = ["value:dense"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn constant_bf16<const S: [i32; N]>(value: f64, shape: Shape<S>) -> Tile<bf16, S> {
        unreachable!()
    }

    /// A vector as a column, repeated to this shape.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn as_column<E: ElementType, const S: [i32; N], const ROWS: i32, const COLUMNS: i32>(
        x: Tile<E, S>,
        shape: Shape<{ [ROWS, COLUMNS] }>,
    ) -> Tile<E, { [ROWS, COLUMNS] }> {
        let column: Tile<E, { [ROWS, 1] }> = x.reshape(shape![ROWS, 1]);
        let columns: Tile<E, { [ROWS, COLUMNS] }> = column.broadcast(shape);
        columns
    }

    /// A vector as a row, repeated to this shape.
    #[cuda_tile::variadic_op(N = 6)]
    pub fn as_row<E: ElementType, const S: [i32; N], const ROWS: i32, const COLUMNS: i32>(
        x: Tile<E, S>,
        shape: Shape<{ [ROWS, COLUMNS] }>,
    ) -> Tile<E, { [ROWS, COLUMNS] }> {
        let row: Tile<E, { [1, COLUMNS] }> = x.reshape(shape![1, COLUMNS]);
        let rows: Tile<E, { [ROWS, COLUMNS] }> = row.broadcast(shape);
        rows
    }

    /// A tile of one element, repeated to this shape.
    #[cuda_tile::variadic_op(N = 6, M = 6)]
    pub fn spread<E: ElementType, const S: [i32; M], const R: [i32; N]>(
        x: Tile<E, S>,
        shape: Shape<R>,
    ) -> Tile<E, R> {
        let ones: Shape<{ [1; N] }> = Shape::<{ [1; N] }> { dims: &[1i32; N] };
        let one: Tile<E, { [1; N] }> = x.reshape(ones);
        let all: Tile<E, R> = one.broadcast(shape);
        all
    }
}
