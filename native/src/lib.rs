//! Python extension around cutile's own JIT front end: Rust kernel text in, Tile IR bytecode out; and, in `launching`, the
//! launches of compiled kernels.
//!
//! The compiler recurses deeply and its syntax trees cannot leave their thread, so every call is
//! answered by one worker thread with a large stack, which also keeps the parsed DSL modules.

mod blame;
mod depth;
mod launching;
mod library;
mod locate;
mod lower;
mod request;
mod worker;

// Linked for their registry entries: the compiler finds DSL modules at link time, not by name.
use cutile as _;
use ferrotile_prelude as _;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::lower::{Failure, Lowered};
use crate::request::Request;

pyo3::create_exception!(
    _native,
    LowerError,
    PyRuntimeError,
    "Kernel text that the compiler refuses; args are (kind, message, file, line, column)."
);

/// The compiler copies and drops syntax trees all the time: half of its time goes to the allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Reply = Result<Result<Lowered, Failure>, String>;

fn answer<'py>(py: Python<'py>, reply: Reply) -> PyResult<Bound<'py, PyDict>> {
    let lowered = match reply {
        Ok(Ok(lowered)) => lowered,
        Ok(Err(failure)) => return Err(failure.into()),
        Err(panic) => return Err(Failure::plain("panic", panic).into()),
    };
    let out = PyDict::new(py);
    out.set_item("bytecode", PyBytes::new(py, &lowered.bytecode))?;
    out.set_item("launch_checks", lowered.launch_checks)?;
    out.set_item("discharged", lowered.discharged)?;
    out.set_item("hoisted", lowered.hoisted)?;
    out.set_item("in_place", lowered.in_place)?;
    out.set_item("seconds_modules", lowered.seconds_modules)?;
    out.set_item("seconds_compile", lowered.seconds_compile)?;
    Ok(out)
}

impl From<Failure> for PyErr {
    fn from(f: Failure) -> PyErr {
        LowerError::new_err((f.kind, f.message, f.file, f.line, f.column))
    }
}

/// Lowers one entry of a kernel text to Tile IR bytecode; the DSL modules are parsed once a process.
#[pyfunction]
#[pyo3(name = "lower")]
fn lower_kernel<'py>(py: Python<'py>, request: Request) -> PyResult<Bound<'py, PyDict>> {
    answer(
        py,
        py.detach(|| worker::call(move || lower::lower(&request))),
    )
}

/// As `lower`, but finds and parses the DSL modules afresh, as cutile does at a launch.
#[pyfunction]
fn lower_as_launched<'py>(py: Python<'py>, request: Request) -> PyResult<Bound<'py, PyDict>> {
    answer(
        py,
        py.detach(|| worker::call(move || lower::lower_as_launched(&request))),
    )
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("CUTILE_VERSION", "0.5.0")?;
    m.add("LowerError", m.py().get_type::<LowerError>())?;
    m.add_function(wrap_pyfunction!(lower_kernel, m)?)?;
    m.add_function(wrap_pyfunction!(lower_as_launched, m)?)?;
    launching::register(m)?;
    Ok(())
}
