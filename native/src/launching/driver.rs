//! The two functions of the CUDA driver that a launch calls, by the addresses that Python found them at.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

type Handle = *mut c_void;
type GetCurrent = unsafe extern "C" fn(*mut Handle) -> c_int;
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

pub struct Driver {
    get_current: GetCurrent,
    launch: Launch,
}

impl Driver {
    /// # Safety
    /// The addresses are those of `cuCtxGetCurrent` and `cuLaunchKernel`, for as long as the process lives.
    pub unsafe fn at(get_current: usize, launch: usize) -> Option<Driver> {
        if get_current == 0 || launch == 0 {
            return None;
        }
        // SAFETY: by the caller; a function pointer has the size of an address.
        unsafe {
            Some(Driver {
                get_current: std::mem::transmute::<usize, GetCurrent>(get_current),
                launch: std::mem::transmute::<usize, Launch>(launch),
            })
        }
    }

    /// The current context.
    pub fn context(&self) -> Option<u64> {
        let mut current: Handle = ptr::null_mut();
        // SAFETY: it writes one handle.
        let status = unsafe { (self.get_current)(&mut current) };
        (status == 0 && !current.is_null()).then_some(current as u64)
    }

    /// Puts a launch on a stream; `parameters` point to the values of the program's parameters. Gives the driver's code: it
    /// refuses a stream of another context than the function's.
    ///
    /// # Safety
    /// The function is loaded in the current context, and takes as many parameters as there are.
    pub unsafe fn launch(
        &self,
        function: u64,
        grid: [u32; 3],
        stream: u64,
        parameters: *mut Handle,
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
                parameters,
                ptr::null_mut(),
            )
        }
    }
}
