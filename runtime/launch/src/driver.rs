//! The CUDA driver, opened when it is first needed: a library must load where there is none.

use core::ffi::{c_char, c_int, c_uint, c_void, CStr};
use core::mem::transmute_copy;
use std::sync::OnceLock;

use crate::codes::Code;
use crate::fault::{Fault, CALL};

pub const LIBRARY: &str = "libcuda.so.1";
const LIBRARY_C: &CStr = c"libcuda.so.1";
const NOW: c_int = 2;
/// `CUDA_ERROR_OUT_OF_MEMORY`, the one fault of loading that may go away.
pub const OUT_OF_MEMORY: c_int = 2;

pub type Handle = *mut c_void;

// From the C library, which every program of this platform has: two functions are no reason for a dependency that an
// exported crate would have to download.
extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> Handle;
    fn dlsym(library: Handle, name: *const c_char) -> Handle;
}

/// Declares the driver's functions that are used, with the names under which they are found.
macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        pub struct Driver {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        /// In the order of the fields; a fault names the one that is missing by its number.
        const NAMES: &[&CStr] = &[$($name),*];

        fn open() -> Result<Driver, i64> {
            // SAFETY: the name is a C string.
            let library = unsafe { dlopen(LIBRARY_C.as_ptr(), NOW) };
            if library.is_null() {
                return Err(-1);
            }
            let mut number = -1;
            // SAFETY: the symbols have these types in CUDA's headers.
            Ok(Driver {
                $($field: unsafe {
                    number += 1;
                    let found = dlsym(library, $name.as_ptr());
                    if found.is_null() {
                        return Err(number);
                    }
                    transmute_copy::<Handle, unsafe extern "C" fn($($argument),*) -> $result>(&found)
                },)*
            })
        }
    };
}

functions! {
    context_id = c"cuCtxGetId": fn(Handle, *mut u64) -> c_int;
    context_current = c"cuCtxGetCurrent": fn(*mut Handle) -> c_int;
    context_push = c"cuCtxPushCurrent_v2": fn(Handle) -> c_int;
    context_pop = c"cuCtxPopCurrent_v2": fn(*mut Handle) -> c_int;
    context_device = c"cuCtxGetDevice": fn(*mut c_int) -> c_int;
    device_attribute = c"cuDeviceGetAttribute": fn(*mut c_int, c_int, c_int) -> c_int;
    module_load = c"cuModuleLoadData": fn(*mut Handle, *const c_void) -> c_int;
    module_function = c"cuModuleGetFunction": fn(*mut Handle, Handle, *const c_char) -> c_int;
    capture_mode = c"cuThreadExchangeStreamCaptureMode": fn(*mut c_int) -> c_int;
    error_name = c"cuGetErrorName": fn(c_int, *mut *const c_char) -> c_int;
    launch = c"cuLaunchKernel": fn(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *const *const c_void, Handle
    ) -> c_int;
}

/// The driver, opened once.
pub fn driver() -> Result<&'static Driver, Fault> {
    static DRIVER: OnceLock<Result<Driver, i64>> = OnceLock::new();
    DRIVER
        .get_or_init(open)
        .as_ref()
        .map_err(|&lacking| Fault::of(Code::NoDriver, CALL).found(lacking, 0))
}

/// The function that was missing when the driver was opened; None: the driver itself.
pub fn lacking(number: i64) -> Option<&'static str> {
    NAMES.get(usize::try_from(number).ok()?)?.to_str().ok()
}

/// The driver's name for one of its own codes.
pub fn error_name(code: i64) -> &'static str {
    let mut name: *const c_char = core::ptr::null();
    let Ok(driver) = driver() else {
        return "unknown";
    };
    // SAFETY: the driver sets the address of a text that is never freed, or leaves the null.
    unsafe {
        (driver.error_name)(code as c_int, &mut name);
        if name.is_null() {
            return "an unknown error";
        }
        CStr::from_ptr(name).to_str().unwrap_or("an error")
    }
}
