//! What an exported kernel does when it is called: check the arguments, choose the specialization that they allow,
//! find its function for the caller's context, and launch it on the caller's stream.
//!
//! Nothing is copied, allocated on the device, owned, or waited for, and no panic leaves. The CUDA driver is
//! opened when the first call needs it, so a library builds and loads on a machine without one.

mod abi;
mod chosen;
mod codes;
mod context;
mod declared;
mod driver;
mod fault;
#[cfg(feature = "jit")]
mod jit;
mod kernel_checks;
mod launch;
mod loaded;
mod memory;
#[cfg(feature = "mutants")]
mod mutants;
mod relation;
mod rust_call;
mod tensor_facts;
mod variant_checks;

pub use abi::{Error, Tensor};
pub use codes::dtype;
pub use declared::{
    Aligned, Argument, Array, Axis, Index, Kernel, Kind, Machine, Program, Scalar, Slot, Variant,
};
pub use launch::{launch, launch_count, Grid};
pub use loaded::Loaded;
#[cfg(feature = "mutants")]
pub use mutants::switch_off;
pub use relation::{Atom, Claim, Factor, Relation};
pub use rust_call::{blocks, call, ceiling, require_equal, word, Refused, Stream, View, ViewMut};

/// The number of this calling convention: what a caller was compiled for must be what the library says.
pub const ABI_VERSION: u32 = 1;
