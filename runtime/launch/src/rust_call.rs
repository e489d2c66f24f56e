//! What a Rust caller passes, and what it gets back: views of device memory, a stream, and refusals as errors.
//!
//! A view is made once, unsafely; then everything that is compiled into a kernel is checked at every call, and calling
//! is safe.

use core::fmt;
use core::marker::PhantomData;

use crate::abi::{Error, Tensor, MAX_RANK, MESSAGE_BYTES};
use crate::codes::Code;
use crate::context::of_call;
use crate::declared::Kernel;
use crate::launch::{launch, Grid};

/// A stream of the CUDA driver and the context that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    context: u64,
    handle: u64,
}

impl Stream {
    /// A `CUcontext` and a `CUstream` of it as numbers; stream 0 is the context's default stream.
    ///
    /// # Safety
    /// Both are handles of the CUDA driver, and the stream belongs to the context.
    pub const unsafe fn new(context: u64, handle: u64) -> Stream {
        Stream { context, handle }
    }

    /// How many multiprocessors the device of the context has.
    ///
    /// # Errors
    /// There is no driver, or it does not know the context.
    pub fn multiprocessors(&self) -> Result<i64, Refused> {
        match of_call(self.context) {
            Ok((_, context)) => Ok(context.multiprocessors),
            Err(fault) => Err(Refused::new(
                fault.code,
                "the device of the context is not known".to_owned(),
            )),
        }
    }
}

/// An array in device memory that a kernel reads. Strides count elements; `dtype` is a number of [`crate::dtype`].
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    tensor: Tensor,
    memory: PhantomData<&'a [u8]>,
}

/// An array in device memory that a kernel writes to.
#[derive(Debug)]
pub struct ViewMut<'a> {
    tensor: Tensor,
    memory: PhantomData<&'a mut [u8]>,
}

macro_rules! view {
    ($name:ident, $holds:literal) => {
        impl $name<'_> {
            /// A view of the array whose first element is at `address` on a device.
            ///
            /// # Safety
            #[doc = $holds]
            ///
            /// # Errors
            /// More than 8 axes, or another number of strides than of extents.
            pub unsafe fn new(
                address: u64,
                dtype: i32,
                device: i32,
                shape: &[i64],
                strides: &[i64],
            ) -> Result<Self, Refused> {
                Ok(Self {
                    tensor: described(address, dtype, device, shape, strides)?,
                    memory: PhantomData,
                })
            }

            /// The extent of an axis. There is no axis beyond the last one: 1 stands for it until the call is refused.
            pub fn extent(&self, axis: usize) -> i64 {
                self.tensor.extents().get(axis).copied().unwrap_or(1)
            }

            /// The record that the checks read.
            pub fn tensor(&self) -> &Tensor {
                &self.tensor
            }
        }
    };
}

view!(
    View,
    "The memory holds every element from the making of the view until all kernels that were given it have run, and nothing writes to it meanwhile."
);
view!(
    ViewMut,
    "The memory holds every element from the making of the view until all kernels that were given it have run, and nothing else reads or writes it meanwhile."
);

fn described(
    ptr: u64,
    dtype: i32,
    device: i32,
    extents: &[i64],
    strides: &[i64],
) -> Result<Tensor, Refused> {
    let rank = extents.len();
    if rank > MAX_RANK || strides.len() != rank {
        let told = format!("{rank} extents and {} strides", strides.len());
        return Err(Refused::new(
            Code::Rank,
            format!("{told}: an array has as many of both, at most {MAX_RANK}"),
        ));
    }
    let (mut shape, mut stride) = ([0; MAX_RANK], [0; MAX_RANK]);
    shape[..rank].copy_from_slice(extents);
    stride[..rank].copy_from_slice(strides);
    Ok(Tensor {
        ptr,
        rank: rank as i32,
        dtype,
        device,
        reserved: 0,
        shape,
        stride,
    })
}

/// Why a call was refused, before anything was launched. `code` is one of the C ABI's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub code: i32,
    pub message: String,
}

impl Refused {
    fn new(code: Code, message: String) -> Refused {
        Refused {
            code: code as i32,
            message,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl core::error::Error for Refused {}

/// Checks a call of a Rust caller and launches it.
///
/// # Safety
/// As for [`launch`]: one word for each argument of the kernel, of its kind.
///
/// # Errors
/// Whatever a check refuses, and what the driver does not do.
pub unsafe fn call(
    kernel: &'static Kernel,
    words: &[u64],
    grid: [u32; 3],
    stream: &Stream,
) -> Result<(), Refused> {
    let mut error = Error {
        code: 0,
        message: [0; MESSAGE_BYTES],
    };
    let place = (stream.context, stream.handle);
    match launch(kernel, words, Grid(grid), place, &mut error) {
        0 => Ok(()),
        code => Err(Refused {
            code,
            message: text_of(&error),
        }),
    }
}

fn text_of(error: &Error) -> String {
    let end = error.message.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&error.message[..end.unwrap_or(MESSAGE_BYTES)]).into_owned()
}

/// The address of a view's record, as a word of a call; null for none.
pub fn word(tensor: Option<&Tensor>) -> u64 {
    tensor.map_or(0, |tensor| &raw const *tensor as u64)
}

/// The blocks of a grid whose axes were computed.
///
/// # Errors
/// An axis is negative or beyond 32 bits.
pub fn blocks(axes: [i64; 3]) -> Result<[u32; 3], Refused> {
    let mut grid = [0; 3];
    for (blocks, axis) in grid.iter_mut().zip(axes) {
        *blocks = u32::try_from(axis).map_err(|_| {
            let message = format!("the arguments give a grid of {axes:?}");
            Refused::new(Code::GridLimit, message)
        })?;
    }
    Ok(grid)
}

/// Two extents that a rule for the grid takes for one.
///
/// # Errors
/// They are not.
pub fn require_equal((left, is): (&str, i64), (right, other): (&str, i64)) -> Result<(), Refused> {
    if is == other {
        return Ok(());
    }
    let message =
        format!("`{left}` is {is} and `{right}` is {other}, and the grid needs them equal");
    Err(Refused::new(Code::Relation, message))
}

/// `number / divisor`, rounded up; a divisor below 1 counts as 1: no kernel is compiled for it.
pub fn ceiling(number: i64, divisor: i64) -> i64 {
    let divisor = divisor.max(1);
    number.div_euclid(divisor) + i64::from(number.rem_euclid(divisor) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_as_many_strides_as_extents_and_eight_axes_at_most() {
        let view = |shape: &[i64], strides: &[i64]| unsafe { View::new(64, 0, 0, shape, strides) };
        let good = view(&[3, 5], &[5, 1]).unwrap();
        assert_eq!(
            (good.extent(1), good.extent(2), good.tensor().rank),
            (5, 1, 2)
        );
        assert_eq!(view(&[3], &[]).unwrap_err().code, Code::Rank as i32);
        assert_eq!(view(&[1; 9], &[1; 9]).unwrap_err().code, Code::Rank as i32);
    }

    #[test]
    fn a_grid_beyond_32_bits_is_refused() {
        assert_eq!(blocks([1, 2, 3]), Ok([1, 2, 3]));
        assert_eq!(
            blocks([1 << 32, 1, 1]).unwrap_err().code,
            Code::GridLimit as i32
        );
        assert_eq!(blocks([-1, 1, 1]).unwrap_err().code, Code::GridLimit as i32);
    }

    #[test]
    fn division_rounds_up() {
        assert_eq!(
            [ceiling(0, 4), ceiling(1, 4), ceiling(8, 4), ceiling(9, 0)],
            [0, 1, 2, 9]
        );
        assert!(ceiling(i64::MAX, 2) > 0);
    }

    #[test]
    fn unequal_extents_are_named() {
        let refused = require_equal(("x.shape[0]", 3), ("y.shape[0]", 4)).unwrap_err();
        assert!(refused.to_string().contains("`y.shape[0]` is 4"));
        assert_eq!(require_equal(("a", 1), ("b", 1)), Ok(()));
    }
}
