//! Tile recipes that lifted kernels call, one function per recipe of the source front end.

#[cutile::module]
pub mod prelude {
    use cutile::core::*;

    /// Floor division of signed integers, rounding toward negative infinity.
    pub fn floor_div<const S: [i32; 0]>(a: Tile<i32, S>, b: Tile<i32, S>) -> Tile<i32, S> {
        divi(a, b, rounding::NegativeInf)
    }
}
