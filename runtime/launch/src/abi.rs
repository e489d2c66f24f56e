//! The two records that cross the border.

use core::mem::{offset_of, size_of};

/// The most axes that a tensor can have.
pub const MAX_RANK: usize = 8;
/// Bytes of a message, its final zero included.
pub const MESSAGE_BYTES: usize = 256;

/// `ft_tensor`: an array in device memory as the caller describes it. Strides count elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    pub ptr: u64,
    pub rank: i32,
    pub dtype: i32,
    pub device: i32,
    pub reserved: i32,
    pub shape: [i64; MAX_RANK],
    pub stride: [i64; MAX_RANK],
}

/// `ft_error`: where a refusal is told, in the caller's memory.
#[repr(C)]
pub struct Error {
    pub code: i32,
    pub message: [u8; MESSAGE_BYTES],
}

/// Where parts of a tensor lie, in words of 8 bytes: a launch hands the driver the address of the part itself.
pub const SHAPE_WORD: usize = offset_of!(Tensor, shape) / 8;
pub const STRIDE_WORD: usize = offset_of!(Tensor, stride) / 8;

const _: () = assert!(offset_of!(Tensor, ptr) == 0 && size_of::<Tensor>() == 152);
const _: () = assert!(cfg!(target_endian = "little"));

impl Tensor {
    /// The number of axes. One that cannot be is refused later, as no kernel has it; until then 0 or 8 stands for it.
    pub fn axis_count(&self) -> usize {
        (self.rank.max(0) as usize).min(MAX_RANK)
    }

    pub fn extents(&self) -> &[i64] {
        &self.shape[..self.axis_count()]
    }

    pub fn strides(&self) -> &[i64] {
        &self.stride[..self.axis_count()]
    }

    /// Whether there is no element: then nothing is read or written, and the address means nothing.
    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }
}
