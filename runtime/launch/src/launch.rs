//! A call from its words to the driver.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use core::ptr::null_mut;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::abi::{Error, Tensor, SHAPE_WORD, STRIDE_WORD};
use crate::chosen::{chosen, Refused};
use crate::codes::Code;
use crate::context::{of_call, Entered};
use crate::declared::{Kernel, Slot, Variant};
use crate::driver::{Driver, Handle};
use crate::fault::{report, Fault, CALL};
use crate::kernel_checks::{descriptors, placement};
use crate::loaded::{function, Function};
use crate::memory::Span;

/// The most arguments of an exported function; export refuses more.
pub const MAX_ARGUMENTS: usize = 64;
/// The most entry parameters of a kernel; export refuses more.
pub const MAX_SLOTS: usize = 256;
/// The step of a launch that a message names by this number.
const LAUNCH: usize = 3;

static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// How many kernels this library has launched.
pub fn launch_count() -> u64 {
    LAUNCHES.load(Ordering::Relaxed)
}

/// Blocks along x, y and z.
#[derive(Clone, Copy)]
pub struct Grid(pub [u32; 3]);

/// A call: one word for each argument of the kernel, and where to launch.
pub struct Call<'a> {
    pub kernel: &'static Kernel,
    pub words: &'a [u64],
    pub grid: Grid,
}

impl Call<'_> {
    /// The tensor that an argument points to; None for null.
    #[inline]
    pub fn tensor(&self, argument: u8) -> Option<&Tensor> {
        // SAFETY: the caller of the library passes null or the address of an `ft_tensor`.
        unsafe { (self.words[argument as usize] as *const Tensor).as_ref() }
    }
}

/// Checks a call and launches it. Returns 0, or the code of a refusal that `error` tells of.
///
/// # Safety
/// `words` has one word for each argument of the kernel, of its kind: for a tensor null or the address of an
/// `ft_tensor`, for a text null or the address of one that ends with a zero. `error` is null or the address of an
/// `ft_error`. `context` and `stream` are handles of the CUDA driver.
pub unsafe fn launch(
    kernel: &'static Kernel,
    words: &[u64],
    grid: Grid,
    (context, stream): (u64, u64),
    error: *mut Error,
) -> i32 {
    let call = Call {
        kernel,
        words,
        grid,
    };
    match catch_unwind(AssertUnwindSafe(|| checked(&call, context, stream))) {
        Ok(Ok(())) => {
            if let Some(error) = error.as_mut() {
                (error.code, error.message[0]) = (0, 0);
            }
            0
        }
        Ok(Err(refused)) => report(error, kernel, refused.variant, &refused.fault),
        Err(_) => report(error, kernel, None, &Fault::of(Code::Panic, CALL)),
    }
}

fn checked(call: &Call, context: u64, stream: u64) -> Result<(), Refused> {
    #[cfg(feature = "mutants")]
    crate::mutants::break_down_if_asked();
    let mut spans = [Span::EMPTY; MAX_ARGUMENTS];
    descriptors(call, &mut spans)?;
    let (driver, known) = of_call(context)?;
    placement(call, known)?;
    let variant = chosen(call, known, &spans)?;
    let _entered = Entered::new(driver, context)?;
    let function = function(driver, known, variant).map_err(|fault| Refused {
        fault,
        variant: Some(variant),
    })?;
    Ok(start(driver, call, variant, function, stream)?)
}

/// Every entry parameter is handed over where it lies, in the caller's records: an `i32` is the low half of its word.
#[inline]
fn start(
    driver: &Driver,
    call: &Call,
    variant: &Variant,
    function: Function,
    stream: u64,
) -> Result<(), Fault> {
    static ZERO: u64 = 0;
    let mut parameters = [const { MaybeUninit::<*const c_void>::uninit() }; MAX_SLOTS];
    for (parameter, &slot) in parameters.iter_mut().zip(variant.slots) {
        let (argument, word) = match slot {
            Slot::Scalar(argument) => {
                parameter.write((&raw const call.words[argument as usize]).cast());
                continue;
            }
            Slot::Pointer(argument) => (argument, 0),
            Slot::Extent(argument, axis) => (argument, SHAPE_WORD + axis as usize),
            Slot::Stride(argument, axis) => (argument, STRIDE_WORD + axis as usize),
        };
        let tensor = call.tensor(argument).map_or(&raw const ZERO, |tensor| {
            // SAFETY: the word lies within the record.
            unsafe { (&raw const *tensor).cast::<u64>().add(word) }
        });
        parameter.write(tensor.cast());
    }
    let Grid([x, y, z]) = call.grid;
    // SAFETY: there is a parameter for each that the entry takes; a tile kernel has one logical thread a block, the
    // rest is in its machine code.
    let code = unsafe {
        (driver.launch)(
            function.0,
            x,
            y,
            z,
            1,
            1,
            1,
            0,
            stream as Handle,
            parameters.as_ptr().cast(),
            null_mut(),
        )
    };
    if code != 0 {
        return Err(Fault::of(Code::Launch, CALL)
            .on(LAUNCH)
            .found(code.into(), 0));
    }
    LAUNCHES.fetch_add(1, Ordering::Relaxed);
    Ok(())
}
