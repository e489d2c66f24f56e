//! Python extension around cutile's own JIT front end: Rust kernel text in, Tile IR bytecode out.
//!
//! The compiler recurses deeply and its syntax trees cannot leave their thread, so every call is
//! answered by one worker thread with a large stack, which also keeps the parsed DSL modules.

mod lower;
mod worker;

// Linked for their registry entries: the compiler finds DSL modules at link time, not by name.
use cutile as _;
use ferrotile_prelude as _;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

pyo3::create_exception!(_native, LowerError, PyRuntimeError, "kernel text that the compiler refuses: (kind, message, file, line, column).");

/// Lowers the entry `entry` of the kernel text `source` to Tile IR bytecode.
///
/// `request` is the JSON-like mapping that `ferrotile.lower` builds; see `lower::Request`.
#[pyfunction]
#[pyo3(name = "lower")]
fn lower_kernel<'py>(py: Python<'py>, request: lower::Request) -> PyResult<Bound<'py, PyDict>> {
    let reply = py.detach(|| worker::call(move || lower::lower(&request)));
    let reply = match reply {
        Ok(inner) => inner,
        Err(panic) => Err(lower::Failure::panic(panic)),
    };
    match reply {
        Ok(lowered) => {
            let out = PyDict::new(py);
            out.set_item("bytecode", PyBytes::new(py, &lowered.bytecode))?;
            out.set_item("launch_checks", PyList::new(py, &lowered.launch_checks)?)?;
            out.set_item("discharged", lowered.discharged)?;
            out.set_item("hoisted", lowered.hoisted)?;
            out.set_item("in_place", lowered.in_place)?;
            out.set_item("seconds_modules", lowered.seconds_modules)?;
            out.set_item("seconds_compile", lowered.seconds_compile)?;
            Ok(out)
        }
        Err(f) => Err(LowerError::new_err((f.kind, f.message, f.file, f.line, f.column))),
    }
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("CUTILE_VERSION", "0.5.0")?;
    m.add("LowerError", m.py().get_type::<LowerError>())?;
    m.add_function(wrap_pyfunction!(lower_kernel, m)?)?;
    Ok(())
}
