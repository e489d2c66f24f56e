//! What stands in the place of `cuda.tile.launch`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::prepared::Launches;

/// Answers launches that are ours: those that were prepared at once, others by Python.
#[pyclass(frozen, module = "ferrotile._native")]
pub struct Hook {
    launches: Option<Py<Launches>>,
    original: Py<PyAny>,
    is_ours: Py<PyAny>,
    prepare: Py<PyAny>,
}

#[pymethods]
impl Hook {
    /// `original`: cuTile Python's launch; `is_ours`: whether the next launch is answered; `prepare`: answers a launch
    /// that was not prepared.
    #[new]
    #[pyo3(signature = (launches, original, is_ours, prepare))]
    fn new(
        launches: Option<Py<Launches>>,
        original: Py<PyAny>,
        is_ours: Py<PyAny>,
        prepare: Py<PyAny>,
    ) -> Hook {
        Hook {
            launches,
            original,
            is_ours,
            prepare,
        }
    }

    /// Queue a kernel for execution over a grid.
    #[pyo3(signature = (stream, grid, kernel, kernel_args, /, **options))]
    fn launch<'py>(
        &self,
        py: Python<'py>,
        stream: &Bound<'py, PyAny>,
        grid: &Bound<'py, PyAny>,
        kernel: &Bound<'py, PyAny>,
        kernel_args: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = || PyTuple::new(py, [stream, grid, kernel, kernel_args]);
        if !self.is_ours.bind(py).call0()?.is_truthy()? {
            return self.original.bind(py).call(all()?, options);
        }
        if options.is_none_or(|options| options.is_empty()) {
            if let Some(launches) = &self.launches {
                let launches = launches.bind(py).get();
                if launches
                    .launch(py, stream, grid, kernel, kernel_args)
                    .is_some()
                {
                    return Ok(py.None().into_bound(py));
                }
            }
        }
        self.prepare.bind(py).call(all()?, options)
    }
}
