//! The three functions of the CUDA driver that a launch calls, by the addresses that Python found them at.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

type Handle = *mut c_void;
type GetCurrent = unsafe extern "C" fn(*mut Handle) -> c_int;
type ContextOf = unsafe extern "C" fn(Handle, *mut Handle) -> c_int;
type Launch = unsafe extern "C" fn(
    Handle,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    Handle,
    *mut Handle,
    *mut Handle,
) -> c_int;

/// Handles up to this one stand for the default streams, which are those of the current context.
const LAST_DEFAULT_STREAM: u64 = 2;

pub struct Driver {
    get_current: GetCurrent,
    context_of: ContextOf,
    launch: Launch,
}

impl Driver {
    /// # Safety
    /// The addresses are those of `cuCtxGetCurrent`, `cuStreamGetCtx` and `cuLaunchKernel`, for as long as the process
    /// lives.
    pub unsafe fn at(get_current: usize, context_of: usize, launch: usize) -> Option<Driver> {
        if get_current == 0 || context_of == 0 || launch == 0 {
            return None;
        }
        // SAFETY: by the caller; a function pointer has the size of an address.
        unsafe {
            Some(Driver {
                get_current: std::mem::transmute::<usize, GetCurrent>(get_current),
                context_of: std::mem::transmute::<usize, ContextOf>(context_of),
                launch: std::mem::transmute::<usize, Launch>(launch),
            })
        }
    }

    /// The current context, if the stream belongs to it.
    pub fn context(&self, stream: u64) -> Option<u64> {
        let mut current: Handle = ptr::null_mut();
        // SAFETY: both functions write one handle.
        if unsafe { (self.get_current)(&mut current) } != 0 || current.is_null() {
            return None;
        }
        if stream > LAST_DEFAULT_STREAM {
            let mut of_stream: Handle = ptr::null_mut();
            let status = unsafe { (self.context_of)(stream as Handle, &mut of_stream) };
            if status != 0 || of_stream != current {
                return None;
            }
        }
        Some(current as u64)
    }

    /// Puts a launch on a stream; `parameters` point to the values of the program's parameters. Gives the driver's code.
    ///
    /// # Safety
    /// The function is loaded in the current context, and takes these parameters.
    pub unsafe fn launch(
        &self,
        function: u64,
        grid: [u32; 3],
        stream: u64,
        parameters: &mut [Handle],
    ) -> c_int {
        let [x, y, z] = grid;
        // SAFETY: by the caller. One thread is asked for: Tile IR programs bring their own number of them.
        unsafe {
            (self.launch)(
                function as Handle,
                x,
                y,
                z,
                1,
                1,
                1,
                0,
                stream as Handle,
                parameters.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
    }
}
