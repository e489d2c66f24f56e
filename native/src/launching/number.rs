//! Numbers of Python, by the few functions of its C API that they need.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

/// The value of what is an `int` exactly, and fits.
pub fn integer(value: &Bound<'_, PyAny>) -> Option<i64> {
    if !value.is_exact_instance_of::<PyInt>() {
        return None;
    }
    // SAFETY: an object that is held, with the interpreter's lock.
    let number = unsafe { ffi::PyLong_AsLongLong(value.as_ptr()) };
    if number == -1 && PyErr::take(value.py()).is_some() {
        return None;
    }
    Some(number)
}

/// The value of what is a `float` exactly.
pub fn float(value: &Bound<'_, PyAny>) -> Option<f64> {
    let number = value.cast_exact::<PyFloat>().ok()?;
    // SAFETY: a float that is held, with the interpreter's lock; there is nothing that could fail.
    Some(unsafe { ffi::PyFloat_AsDouble(number.as_ptr()) })
}
