//! Tile recipes that lifted kernels call: what a front end spells out in many operations is one call here.
//!
//! The functions mirror the source front end: `load` and `store` move one tile between an array and registers,
//! `gather` and `scatter` address elements. They hold no checks of their own: an index that lies wholly outside an
//! array is as undefined as in the source, a partly outside tile is masked.
//!
//! `tiles.rs`, `folds.rs`, `gathers_*.rs` and `scatters_*.rs` are written by `generate.py`.

// The compiler macro takes modules with a body only, so each file holds one of its own name.
#![allow(clippy::module_inception)]
// rustc sees no bodies of rank-generic functions, so it takes what they call for unused.
#![allow(unused_imports)]

mod accesses;
mod casts;
mod elements;
mod folds;
mod gathers_1d;
mod gathers_2d;
mod gathers_3d;
mod gathers_4d;
mod gathers_5d;
mod indices;
mod numbers;
mod rows;
mod scatters_1d;
mod scatters_2d;
mod scatters_3d;
mod scatters_4d;
mod scatters_5d;
mod shorthands;
mod tiles;
mod views;
mod words;

/// All that a kernel may call, for one `use`.
#[cutile::module]
pub mod prelude {
    pub use crate::accesses::accesses::load_ptr_padded;
    pub use crate::casts::casts::*;
    pub use crate::elements::elements::*;
    pub use crate::folds::folds::*;
    pub use crate::gathers_1d::gathers_1d::*;
    pub use crate::gathers_2d::gathers_2d::*;
    pub use crate::gathers_3d::gathers_3d::*;
    pub use crate::gathers_4d::gathers_4d::*;
    pub use crate::gathers_5d::gathers_5d::*;
    pub use crate::indices::indices::*;
    pub use crate::numbers::numbers::*;
    pub use crate::rows::rows::*;
    pub use crate::scatters_1d::scatters_1d::*;
    pub use crate::scatters_2d::scatters_2d::*;
    pub use crate::scatters_3d::scatters_3d::*;
    pub use crate::scatters_4d::scatters_4d::*;
    pub use crate::scatters_5d::scatters_5d::*;
    pub use crate::shorthands::shorthands::*;
    pub use crate::tiles::tiles::*;
    pub use crate::views::views::*;
    pub use crate::words::words::*;
}
