//! The DLPack C exchange API: what a tensor is, without a call of Python. Source: dlpack.h 1.3,
//! https://dmlc.github.io/dlpack/latest/c_api.html

use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyType};

const CUDA: i32 = 2;
const MAJOR: u32 = 1;
const FIRST_MINOR: u32 = 3;
const CAPSULE: &std::ffi::CStr = c"dlpack_exchange_api";

#[repr(C)]
struct Device {
    kind: i32,
    number: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    rank: i32,
    dtype: DataType,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

type ReadTensor = unsafe extern "C" fn(*mut c_void, *mut Tensor) -> c_int;

#[repr(C)]
struct ExchangeApi {
    major: u32,
    minor: u32,
    previous: *const ExchangeApi,
    allocate: *const c_void,
    managed_from_object: *const c_void,
    managed_to_object: *const c_void,
    tensor_from_object: Option<ReadTensor>,
    current_stream: *const c_void,
}

/// A tensor on a CUDA device. Its extents and strides, in elements, are the tensor's own memory.
pub struct View {
    pub address: u64,
    pub device: i32,
    pub dtype: DataType,
    shape: *const i64,
    strides: *const i64,
    rank: usize,
}

impl View {
    /// # Safety
    /// The tensor is held, and nothing of Python ran since it was read.
    pub unsafe fn shape_and_strides(&self) -> (&[i64], &[i64]) {
        if self.rank == 0 {
            return (&[], &[]);
        }
        // SAFETY: by the caller; `read` saw that both pointers are given.
        unsafe {
            (
                std::slice::from_raw_parts(self.shape, self.rank),
                std::slice::from_raw_parts(self.strides, self.rank),
            )
        }
    }
}

/// How to read the tensors of one type; a type without the API has no function.
struct Known {
    of: Py<PyType>,
    read: Option<ReadTensor>,
}

/// The types that were met: a handful in any program.
#[derive(Default)]
pub struct Readers {
    known: Vec<Known>,
}

impl Readers {
    /// The tensor that an object is; None for what is no tensor of CUDA, or tells it in another way.
    pub fn read(&mut self, object: &Bound<'_, PyAny>) -> Option<View> {
        let read = self.reader(object)?;
        let mut tensor = Tensor {
            data: ptr::null_mut(),
            device: Device { kind: 0, number: 0 },
            rank: 0,
            dtype: DataType {
                code: 0,
                bits: 0,
                lanes: 0,
            },
            shape: ptr::null(),
            strides: ptr::null(),
            byte_offset: 0,
        };
        // SAFETY: the function of the object's own type, called with the interpreter's lock held.
        if unsafe { read(object.as_ptr().cast(), &mut tensor) } != 0 {
            PyErr::take(object.py());
            return None;
        }
        let rank = usize::try_from(tensor.rank).ok()?;
        let lacks_axes = rank > 0 && (tensor.shape.is_null() || tensor.strides.is_null());
        if tensor.device.kind != CUDA || lacks_axes {
            return None;
        }
        Some(View {
            address: (tensor.data as u64).wrapping_add(tensor.byte_offset),
            device: tensor.device.number,
            dtype: tensor.dtype,
            shape: tensor.shape,
            strides: tensor.strides,
            rank,
        })
    }

    fn reader(&mut self, object: &Bound<'_, PyAny>) -> Option<ReadTensor> {
        let kind = object.get_type_ptr().cast();
        if let Some(known) = self.known.iter().find(|known| known.of.as_ptr() == kind) {
            return known.read;
        }
        let kind = object.get_type();
        let read = reader_of(&kind).ok().flatten();
        self.known.push(Known {
            of: kind.unbind(),
            read,
        });
        read
    }
}

fn reader_of(kind: &Bound<'_, PyType>) -> PyResult<Option<ReadTensor>> {
    let attribute = kind.getattr(intern!(kind.py(), "__dlpack_c_exchange_api__"))?;
    let capsule = attribute
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("no capsule"))?;
    let api = capsule
        .pointer_checked(Some(CAPSULE))?
        .cast::<ExchangeApi>();
    // SAFETY: the capsule's name says what it holds; the table lives as long as the process.
    let api = unsafe { api.as_ref() };
    let is_known = api.major == MAJOR && api.minor >= FIRST_MINOR;
    Ok(api.tensor_from_object.filter(|_| is_known))
}
