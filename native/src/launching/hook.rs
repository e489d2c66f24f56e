//! What stands in the place of `cuda.tile.launch`.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::chosen::Chosen;
use super::prepared::Launches;

/// Answers launches that are ours: those that were prepared at once, others by Python.
#[pyclass(frozen, module = "ferrotile._native")]
pub struct Hook {
    launches: Option<Py<Launches>>,
    original: Py<PyAny>,
    ours: Ours,
    prepare: Py<PyAny>,
}

/// Which launches are answered.
enum Ours {
    All,
    Chosen(Py<Chosen>),
    Asked(Py<PyAny>),
}

/// The method as CPython has it. PyO3 makes a tuple of the arguments wherever a function takes options.
struct Method(ffi::PyMethodDef);

// SAFETY: nobody writes to it.
unsafe impl Sync for Method {}

static LAUNCH: Method = Method(ffi::PyMethodDef {
    ml_name: c"launch".as_ptr(),
    ml_meth: ffi::PyMethodDefPointer {
        PyCFunctionFastWithKeywords: launch,
    },
    ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
    ml_doc: c"launch(stream, grid, kernel, kernel_args, /, **options)\n--\n\nQueue a kernel for execution over a grid."
        .as_ptr(),
});

#[pymethods]
impl Hook {
    /// `original`: cuTile Python's launch; `is_ours`: whether the next launch is answered, None for all; `prepare`:
    /// answers a launch that was not prepared.
    #[new]
    #[pyo3(signature = (launches, original, is_ours, prepare))]
    fn new(
        py: Python<'_>,
        launches: Option<Py<Launches>>,
        original: Py<PyAny>,
        is_ours: Option<Py<PyAny>>,
        prepare: Py<PyAny>,
    ) -> Hook {
        let ours = match is_ours {
            None => Ours::All,
            Some(question) => match question.cast_bound::<Chosen>(py) {
                Ok(chosen) => Ours::Chosen(chosen.clone().unbind()),
                Err(_) => Ours::Asked(question),
            },
        };
        Hook {
            launches,
            original,
            ours,
            prepare,
        }
    }

    /// The function of four arguments, and options, that is called in place of the original.
    #[getter]
    fn launch<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the table is static, and the function keeps the hook.
        unsafe {
            let function = ffi::PyCFunction_NewEx(
                ptr::from_ref(&LAUNCH.0).cast_mut(),
                slf.as_ptr(),
                ptr::null_mut(),
            );
            Bound::from_owned_ptr_or_err(slf.py(), function)
        }
    }
}

impl Hook {
    fn answer<'py>(&self, py: Python<'py>, given: &Given) -> PyResult<Bound<'py, PyAny>> {
        let is_ours = match &self.ours {
            Ours::All => true,
            Ours::Chosen(chosen) => chosen.bind(py).get().is_chosen(py)?,
            Ours::Asked(question) => question.bind(py).call0()?.is_truthy()?,
        };
        if !is_ours {
            return given.pass_on(self.original.bind(py));
        }
        if let (Some(launches), Some(arguments)) = (&self.launches, given.four(py)) {
            if launches.bind(py).get().launch(py, arguments).is_some() {
                return Ok(py.None().into_bound(py));
            }
        }
        given.pass_on(self.prepare.bind(py))
    }
}

/// Arguments as CPython passes them: those without a name, then those that `names` has.
struct Given {
    values: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
}

impl Given {
    fn value<'py>(&self, py: Python<'py>, place: usize) -> Bound<'py, PyAny> {
        // SAFETY: the caller of the function holds its arguments; places are below their number.
        unsafe { Bound::from_borrowed_ptr(py, *self.values.add(place)) }
    }

    /// Stream, grid, kernel and its arguments, if that is all.
    fn four<'py>(&self, py: Python<'py>) -> Option<[Bound<'py, PyAny>; 4]> {
        let is_all = self.count == 4 && self.names.is_null();
        is_all.then(|| std::array::from_fn(|place| self.value(py, place)))
    }

    fn pass_on<'py>(&self, function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = function.py();
        let values = PyTuple::new(py, (0..self.count).map(|place| self.value(py, place)))?;
        let options = PyDict::new(py);
        if !self.names.is_null() {
            // SAFETY: a tuple of text, as long as there are named arguments.
            let names =
                unsafe { Bound::from_borrowed_ptr(py, self.names) }.cast_into::<PyTuple>()?;
            for (place, name) in names.iter().enumerate() {
                options.set_item(name, self.value(py, self.count + place))?;
            }
        }
        function.call(values, Some(&options))
    }
}

/// # Safety
/// Called by CPython alone, with the interpreter's lock held, and `hook` as it was bound.
unsafe extern "C" fn launch(
    hook: *mut ffi::PyObject,
    values: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: CPython holds the lock.
    let py = unsafe { Python::assume_attached() };
    let count = count.unsigned_abs();
    let given = Given {
        values,
        count,
        names,
    };
    let answered = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the function was bound to a hook, which it keeps.
        let hook = unsafe { Bound::from_borrowed_ptr(py, hook).cast_into_unchecked::<Hook>() };
        hook.get().answer(py, &given)
    }));
    let failed = match answered {
        Ok(Ok(answer)) => return answer.into_ptr(),
        Ok(Err(failed)) => failed,
        Err(_) => PyRuntimeError::new_err("a launch broke down; this is a fault of ferrotile"),
    };
    failed.restore(py);
    ptr::null_mut()
}
