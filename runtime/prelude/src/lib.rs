//! Tile recipes that lifted kernels call: what a front end spells out in many operations is one call here.
//!
//! The functions mirror the source front end: `load` and `store` move one tile between an array and registers,
//! `gather` and `scatter` address elements. They hold no checks of their own: an index that lies wholly outside an
//! array is as undefined as in the source, a partly outside tile is masked.
//!
//! `tiles.rs` and `elements_*.rs` are written by `generate.py`.

// The compiler macro takes modules with a body only, so each file holds one of its own name.
#![allow(clippy::module_inception)]
// rustc sees no bodies of rank-generic functions, so it takes what they call for unused.
#![allow(unused_imports)]

mod accesses;
mod elements_1d;
mod elements_2d;
mod elements_3d;
mod elements_4d;
mod elements_5d;
mod indices;
mod numbers;
mod tiles;
mod views;

/// All that a kernel may call, for one `use`.
#[cutile::module]
pub mod prelude {
    pub use crate::accesses::accesses::load_ptr_padded;
    pub use crate::elements_1d::elements_1d::*;
    pub use crate::elements_2d::elements_2d::*;
    pub use crate::elements_3d::elements_3d::*;
    pub use crate::elements_4d::elements_4d::*;
    pub use crate::elements_5d::elements_5d::*;
    pub use crate::indices::indices::*;
    pub use crate::numbers::numbers::*;
    pub use crate::tiles::tiles::*;
    pub use crate::views::views::*;
}
