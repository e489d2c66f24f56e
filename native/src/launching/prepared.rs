//! The table of prepared launches.

use std::ffi::c_void;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use rustc_hash::FxHashMap;

use super::driver::Driver;
use super::exchange::Readers;
use super::guarded::Guarded;
use super::key::{Mark, Taken, Taking};
use super::number::integer;
use super::source::Source;
use super::tally::Tally;
use super::watched::Watched;

/// Grids up to these go to the driver; Python says what is wrong with others. Source: 24 bits are cuTile Python's limit,
/// 16 bits the driver's.
const LARGEST_GRID: [u32; 3] = [(1 << 24) - 1, 65_535, 65_535];

/// A program as it was launched from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Program {
    function: u64,
    /// Role, index, axis, and element type of each parameter.
    sources: Vec<(String, usize, usize, String)>,
    kernel_rs: PathBuf,
    changed_ns: i128,
    size: u64,
}

struct Prepared {
    function: u64,
    sources: Vec<Source>,
    watched: Watched,
    tally: Py<Tally>,
    _kept: Vec<Py<PyAny>>,
}

/// What launches need and leave: the memory that one takes its arguments apart in is the next one's.
#[derive(Default)]
struct State {
    driver: Option<Driver>,
    readers: Readers,
    prepared: FxHashMap<Box<[u64]>, Prepared>,
    taken: Taken,
    words: Vec<u64>,
    pointers: Vec<Pointer>,
}

/// Of a parameter's value: where `words` lie, for the time of one call of the driver.
#[repr(transparent)]
struct Pointer(#[allow(dead_code)] *mut c_void);

// SAFETY: nobody follows it between two launches, and the thread of a launch makes it anew.
unsafe impl Send for Pointer {}

/// Launches that were prepared, by what their programs depend on.
#[pyclass(frozen, module = "ferrotile._native")]
pub struct Launches {
    unchanging: Vec<Py<PyType>>,
    most: usize,
    mark: Py<PyAny>,
    state: Guarded<State>,
}

#[pymethods]
impl Launches {
    /// `unchanging`: types whose objects are known by their address, as constants; `most`: launches told apart, beyond
    /// which all are forgotten; `mark`: gives the mark of a kernel that has none yet, and leaves it there.
    #[new]
    fn new(unchanging: Vec<Py<PyType>>, most: usize, mark: Py<PyAny>) -> Launches {
        let state = Guarded::new(State::default());
        Launches {
            unchanging,
            most,
            mark,
            state,
        }
    }

    /// Where the driver's `cuCtxGetCurrent` and `cuLaunchKernel` are.
    fn connect(&self, py: Python<'_>, addresses: (usize, usize)) -> PyResult<()> {
        let (get_current, launch) = addresses;
        // SAFETY: Python took the addresses from the driver that it loaded, and never unloads it.
        let driver = unsafe { Driver::at(get_current, launch) };
        let driver = driver.ok_or_else(|| PyValueError::new_err("an address is 0"))?;
        if let Some(mut state) = self.state.borrow(py) {
            state.driver = Some(driver);
        }
        Ok(())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.state
            .borrow(py)
            .map_or(0, |state| state.prepared.len())
    }

    /// Keeps how a launch was answered, for the next with the same key; False if that needs Python: arguments of
    /// other kinds, parameters of other types.
    fn remember(
        &self,
        py: Python<'_>,
        context: u64,
        mark: &Bound<'_, Mark>,
        arguments: &Bound<'_, PyTuple>,
        program: Program,
        tally: Py<Tally>,
    ) -> PyResult<bool> {
        let stamp = (program.changed_ns, program.size);
        let sources = program
            .sources
            .iter()
            .map(|(role, index, axis, element)| Source::new(role, *index, *axis, element))
            .collect::<Option<Vec<_>>>();
        let Some(sources) = sources else {
            return Ok(false);
        };
        let Some(mut state) = self.state.borrow(py) else {
            return Ok(false);
        };
        let State {
            readers,
            prepared,
            taken,
            ..
        } = &mut *state;
        let unchanging = &self.unchanging;
        if (Taking {
            readers,
            unchanging,
            taken,
        })
        .all(context, mark.get(), arguments)
        .is_none()
        {
            return Ok(false);
        }
        // SAFETY: the arguments hold these objects, and the caller holds the arguments.
        let keep = |&address: &usize| unsafe {
            Bound::from_borrowed_ptr(py, address as *mut pyo3::ffi::PyObject).unbind()
        };
        let made = Prepared {
            function: program.function,
            sources,
            watched: Watched::new(program.kernel_rs, stamp),
            tally,
            _kept: taken.kept.iter().map(keep).collect(),
        };
        if prepared.len() >= self.most {
            prepared.clear();
        }
        prepared.insert(taken.key.as_slice().into(), made);
        Ok(true)
    }
}

impl Launches {
    /// Launches what was prepared; None, and nothing is launched, for all that Python has to see to.
    pub fn launch(
        &self,
        py: Python<'_>,
        [stream, grid, kernel, arguments]: [Bound<'_, PyAny>; 4],
    ) -> Option<()> {
        let mark = kernel
            .getattr(intern!(py, "_ferrotile_mark"))
            .or_else(|_| self.mark.bind(py).call1((&kernel,)))
            .ok()?;
        let mark = mark.cast_exact::<Mark>().ok()?.get();
        let arguments = arguments.cast_exact::<PyTuple>().ok()?;
        let (stream, grid) = (handle(py, &stream)?, extents(&grid)?);
        let mut state = self.state.borrow(py)?;
        let State {
            driver,
            readers,
            prepared,
            taken,
            words,
            pointers,
        } = &mut *state;
        let driver = driver.as_ref()?;
        let unchanging = &self.unchanging;
        Taking {
            readers,
            unchanging,
            taken,
        }
        .all(driver.context()?, mark, arguments)?;
        let found = prepared.get_mut(taken.key.as_slice())?;
        if found.watched.is_changed() {
            prepared.remove(taken.key.as_slice());
            return None;
        }
        words.clear();
        for source in &found.sources {
            words.push(source.word(taken)?);
        }
        pointers.clear();
        pointers.extend(
            words
                .iter_mut()
                .map(|word| Pointer(std::ptr::from_mut(word).cast())),
        );
        // SAFETY: the key holds the context that the function was loaded in, and the sources are the program's own.
        let status =
            unsafe { driver.launch(found.function, grid, stream, pointers.as_mut_ptr().cast()) };
        if status != 0 {
            return None;
        }
        found.tally.bind(py).get().add();
        Some(())
    }
}

/// The driver's handle of a stream that is a number, or an object of torch.
fn handle(py: Python<'_>, stream: &Bound<'_, PyAny>) -> Option<u64> {
    let handle =
        integer(stream).or_else(|| integer(&stream.getattr(intern!(py, "cuda_stream")).ok()?))?;
    u64::try_from(handle).ok()
}

fn extents(grid: &Bound<'_, PyAny>) -> Option<[u32; 3]> {
    let grid = grid.cast_exact::<PyTuple>().ok()?;
    let mut found = [1; 3];
    let count = grid.len();
    if count == 0 || count > 3 {
        return None;
    }
    for (axis, given) in grid.iter_borrowed().enumerate() {
        found[axis] = u32::try_from(integer(&given)?).ok()?;
        if !(1..=LARGEST_GRID[axis]).contains(&found[axis]) {
            return None;
        }
    }
    Some(found)
}
