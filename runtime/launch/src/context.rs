//! What is known of a caller's context, asked once: its device, what that can run, and how large a grid may be.

use core::ffi::c_int;
use core::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::codes::Code;
use crate::driver::{driver, Driver, Handle};
use crate::fault::{refuse_if, Fault, CALL};

/// Numbers of `CUdevice_attribute`.
const GRID_LIMITS: [c_int; 3] = [5, 6, 7];
const CAPABILITY: [c_int; 2] = [75, 76];
const MULTIPROCESSORS: c_int = 16;

/// A context, by the number that no other context of the process ever has: its handle may come again.
pub struct Context {
    pub id: u64,
    pub device: i32,
    pub target: u32,
    pub grid_limits: [i64; 3],
    pub multiprocessors: i64,
    next: *const Context,
}

// SAFETY: written once before it is shared, and never freed.
unsafe impl Sync for Context {}

/// Every context that was ever seen; records are added at the front and stay.
static SEEN: AtomicPtr<Context> = AtomicPtr::new(null_mut());

/// The record of a context.
pub fn context(driver: &'static Driver, handle: u64) -> Result<&'static Context, Fault> {
    let mut id = 0;
    // SAFETY: the driver checks the handle.
    refused(unsafe { (driver.context_id)(handle as Handle, &mut id) })?;
    let mut record = SEEN.load(Ordering::Acquire) as *const Context;
    // SAFETY: records live as long as the process.
    while let Some(known) = unsafe { record.as_ref() } {
        if known.id == id {
            return Ok(known);
        }
        record = known.next;
    }
    let new = Entered::new(driver, handle)?.describe(id)?;
    Ok(remember(new))
}

/// Two threads may both get here for one context: then it has two records that say the same.
fn remember(mut new: Context) -> &'static Context {
    new.next = SEEN.load(Ordering::Acquire);
    let new = Box::leak(Box::new(new));
    while let Err(other) = SEEN.compare_exchange(
        new.next.cast_mut(),
        new,
        Ordering::AcqRel,
        Ordering::Acquire,
    ) {
        new.next = other;
    }
    new
}

/// The caller's context is current on this thread while this lives; what was current before comes back.
pub struct Entered {
    driver: &'static Driver,
    is_pushed: bool,
}

impl Entered {
    #[inline]
    pub fn new(driver: &'static Driver, handle: u64) -> Result<Entered, Fault> {
        let mut current: Handle = null_mut();
        // SAFETY: plain calls into the driver.
        unsafe {
            refused((driver.context_current)(&mut current))?;
            let is_pushed = current as u64 != handle;
            if is_pushed {
                refused((driver.context_push)(handle as Handle))?;
            }
            Ok(Entered { driver, is_pushed })
        }
    }

    fn describe(&self, id: u64) -> Result<Context, Fault> {
        let mut device = 0;
        // SAFETY: a plain call into the driver; this context is current.
        refused(unsafe { (self.driver.context_device)(&mut device) })?;
        let attribute = |number: c_int| {
            let mut value = 0;
            // SAFETY: as above.
            refused(unsafe { (self.driver.device_attribute)(&mut value, number, device) })?;
            Ok(value)
        };
        let mut grid_limits = [0; 3];
        for (limit, number) in grid_limits.iter_mut().zip(GRID_LIMITS) {
            *limit = attribute(number)?.into();
        }
        let [major, minor] = CAPABILITY;
        let target = (attribute(major)? * 10 + attribute(minor)?) as u32;
        Ok(Context {
            id,
            device,
            target,
            grid_limits,
            multiprocessors: attribute(MULTIPROCESSORS)?.into(),
            next: null_mut(),
        })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.is_pushed {
            let mut popped: Handle = null_mut();
            // SAFETY: pops what `new` pushed.
            unsafe { (self.driver.context_pop)(&mut popped) };
        }
    }
}

fn refused(code: c_int) -> Result<(), Fault> {
    match code {
        0 => Ok(()),
        _ => Err(Fault::of(Code::Context, CALL).found(code.into(), 0)),
    }
}

/// The driver, and what is known of the context that a call names.
pub fn of_call(handle: u64) -> Result<(&'static Driver, &'static Context), Fault> {
    refuse_if(handle == 0, Fault::of(Code::NullContext, CALL))?;
    let driver = driver()?;
    Ok((driver, context(driver, handle)?))
}
