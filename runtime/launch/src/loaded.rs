//! The function of a specialization in each context that has called it: loaded at the first call, then found.

use core::ffi::c_int;
use core::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::codes::Code;
use crate::context::Context;
use crate::declared::Variant;
use crate::driver::{Driver, Handle, OUT_OF_MEMORY};
use crate::fault::{Fault, CALL};

/// One specialization in all contexts. Found without a lock; entries are added at the front and stay.
pub struct Loaded(AtomicPtr<Entry>);

struct Entry {
    context: u64,
    function: Result<Function, Fault>,
    next: *const Entry,
}

#[derive(Clone, Copy)]
pub struct Function(pub Handle);

/// Steps that a message names by number.
const LOAD: usize = 1;
const FIND: usize = 2;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`: a first call may come while the stream is being captured into a graph.
const RELAXED: c_int = 2;

impl Loaded {
    pub const fn new() -> Loaded {
        Loaded(AtomicPtr::new(null_mut()))
    }

    #[inline]
    fn find(&self, context: u64) -> Option<Result<Function, Fault>> {
        let mut entry = self.0.load(Ordering::Acquire) as *const Entry;
        // SAFETY: entries live as long as the process.
        while let Some(known) = unsafe { entry.as_ref() } {
            if known.context == context {
                return Some(known.function);
            }
            entry = known.next;
        }
        None
    }

    fn remember(&self, context: u64, function: Result<Function, Fault>) {
        let next = self.0.load(Ordering::Acquire);
        let entry = Box::new(Entry {
            context,
            function,
            next,
        });
        self.0.store(Box::leak(entry), Ordering::Release);
    }
}

impl Default for Loaded {
    fn default() -> Self {
        Self::new()
    }
}

/// The function of a specialization in a context, which is current. A failure stays one, with the same cause, unless
/// memory was short: nothing else is tried in its place.
#[inline]
pub fn function(driver: &Driver, context: &Context, variant: &Variant) -> Result<Function, Fault> {
    match variant.loaded.find(context.id) {
        Some(known) => known,
        None => load_once(driver, context, variant),
    }
}

#[cold]
fn load_once(driver: &Driver, context: &Context, variant: &Variant) -> Result<Function, Fault> {
    static LOADING: Mutex<()> = Mutex::new(());
    // Before the lock: to compile takes seconds, for which other kernels need not wait.
    let image = image(context, variant)?;
    let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = variant.loaded.find(context.id) {
        return known;
    }
    let function = load(driver, variant, image);
    if !matches!(function, Err(fault) if fault.found == i64::from(OUT_OF_MEMORY)) {
        variant.loaded.remember(context.id, function);
    }
    function
}

/// What the driver loads: embedded machine code where there is some for the device, else compiled now or before.
fn image(context: &Context, variant: &Variant) -> Result<&'static [u8], Fault> {
    #[cfg(feature = "jit")]
    if variant.machine.target != context.target && variant.program.covers(context.target) {
        return crate::jit::compiled(&variant.program, context.target);
    }
    #[cfg(not(feature = "jit"))]
    let _ = context;
    Ok(variant.machine.cubin)
}

fn load(driver: &Driver, variant: &Variant, image: &[u8]) -> Result<Function, Fault> {
    let (mut module, mut function) = (null_mut(), null_mut());
    let mut mode = RELAXED;
    // SAFETY: the image and the name are whole and live as long as the process.
    unsafe {
        (driver.capture_mode)(&mut mode);
        let loaded = (driver.module_load)(&mut module, image.as_ptr().cast());
        (driver.capture_mode)(&mut mode);
        refused(loaded, LOAD)?;
        refused(
            (driver.module_function)(&mut function, module, variant.entry.as_ptr()),
            FIND,
        )?;
    }
    Ok(Function(function))
}

fn refused(code: c_int, step: usize) -> Result<(), Fault> {
    match code {
        0 => Ok(()),
        _ => Err(Fault::of(Code::Launch, CALL).on(step).found(code.into(), 0)),
    }
}
