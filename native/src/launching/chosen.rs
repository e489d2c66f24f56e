//! Whose launches are answered, where a program chooses between implementations by name.

use pyo3::prelude::*;
use pyo3::types::PyString;

/// Whether the name that is asked for, else the current one, is a certain name.
#[pyclass(frozen, module = "ferrotile._native")]
pub struct Chosen {
    asked: Py<PyAny>,
    current: Py<PyAny>,
    name: Py<PyString>,
}

#[pymethods]
impl Chosen {
    /// `asked` gives the name that is asked for, or None; then `current` gives the name.
    #[new]
    fn new(asked: Py<PyAny>, current: Py<PyAny>, name: Py<PyString>) -> Chosen {
        Chosen {
            asked,
            current,
            name,
        }
    }

    #[pyo3(name = "__call__")]
    pub fn is_chosen(&self, py: Python<'_>) -> PyResult<bool> {
        let mut given = self.asked.bind(py).call0()?;
        if given.is_none() {
            given = self.current.bind(py).call0()?;
        }
        let name = self.name.bind(py);
        Ok(given.is(name) || given.eq(name)?)
    }
}
