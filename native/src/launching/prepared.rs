//! The table of prepared launches.

use std::cell::RefCell;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple, PyType};
use rustc_hash::FxHashMap;

use super::driver::Driver;
use super::exchange::Readers;
use super::key::{Mark, Taken, Taking};
use super::source::Source;
use super::tally::Tally;
use super::watched::Watched;

/// Grids up to these go to the driver; Python says what is wrong with others. Source: 24 bits are cuTile Python's limit,
/// 16 bits the driver's.
const LARGEST_GRID: [u32; 3] = [(1 << 24) - 1, 65_535, 65_535];

/// Memory that a thread uses again at each launch.
#[derive(Default)]
struct Scratch {
    taken: Taken,
    words: Vec<u64>,
    pointers: Vec<*mut c_void>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

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

/// Launches that were prepared, by what their programs depend on.
#[pyclass(frozen, module = "ferrotile._native")]
pub struct Launches {
    driver: OnceLock<Driver>,
    unchanging: Vec<Py<PyType>>,
    most: usize,
    mark: Py<PyAny>,
    readers: Mutex<Readers>,
    prepared: RwLock<FxHashMap<Box<[u64]>, Arc<Prepared>>>,
}

#[pymethods]
impl Launches {
    /// `unchanging`: types whose objects are known by their address, as constants; `most`: launches told apart, beyond
    /// which all are forgotten; `mark`: gives the mark of a kernel that has none yet, and leaves it there.
    #[new]
    fn new(unchanging: Vec<Py<PyType>>, most: usize, mark: Py<PyAny>) -> Launches {
        Launches {
            driver: OnceLock::new(),
            unchanging,
            most,
            mark,
            readers: Mutex::default(),
            prepared: RwLock::default(),
        }
    }

    /// Where the driver's `cuCtxGetCurrent`, `cuStreamGetCtx` and `cuLaunchKernel` are; the first answer stays.
    fn connect(&self, addresses: (usize, usize, usize)) -> PyResult<()> {
        let (get_current, context_of, launch) = addresses;
        // SAFETY: Python took the addresses from the driver that it loaded, and never unloads it.
        let driver = unsafe { Driver::at(get_current, context_of, launch) };
        let driver = driver.ok_or_else(|| PyValueError::new_err("an address is 0"))?;
        self.driver.get_or_init(|| driver);
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.prepared
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
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
        let mut taken = Taken::default();
        if self
            .take(context, mark.get(), arguments, &mut taken)
            .is_none()
        {
            return Ok(false);
        }
        // SAFETY: the arguments hold these objects, and the caller holds the arguments.
        let keep = |&address: &usize| unsafe {
            Bound::from_borrowed_ptr(py, address as *mut pyo3::ffi::PyObject).unbind()
        };
        let prepared = Prepared {
            function: program.function,
            sources,
            watched: Watched::new(program.kernel_rs, stamp),
            tally,
            _kept: taken.kept.iter().map(keep).collect(),
        };
        let mut table = self
            .prepared
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if table.len() >= self.most {
            table.clear();
        }
        table.insert(taken.key.into_boxed_slice(), Arc::new(prepared));
        Ok(true)
    }
}

impl Launches {
    /// Launches what was prepared; None, and nothing is launched, for all that Python has to see to.
    pub fn launch(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, PyAny>,
        grid: &Bound<'_, PyAny>,
        kernel: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyAny>,
    ) -> Option<()> {
        let mark = kernel
            .getattr(intern!(py, "_ferrotile_mark"))
            .or_else(|_| self.mark.bind(py).call1((kernel,)))
            .ok()?;
        let mark = mark.cast_exact::<Mark>().ok()?.get();
        let arguments = arguments.cast_exact::<PyTuple>().ok()?;
        let (stream, grid) = (handle(py, stream)?, extents(grid)?);
        let driver = self.driver.get()?;
        let context = driver.context(stream)?;
        // Taken out, not borrowed: a tensor's own code may launch something.
        let mut scratch = SCRATCH.take();
        let done = self
            .take(context, mark, arguments, &mut scratch.taken)
            .and_then(|()| self.found(&scratch.taken.key))
            .and_then(|prepared| send(py, driver, &prepared, grid, stream, &mut scratch));
        SCRATCH.set(scratch);
        done
    }

    fn take(
        &self,
        context: u64,
        mark: &Mark,
        arguments: &Bound<'_, PyTuple>,
        taken: &mut Taken,
    ) -> Option<()> {
        // Not waited for: the lock of the interpreter may pass to another thread while a tensor is read.
        let mut readers = self.readers.try_lock().ok()?;
        let readers = &mut *readers;
        let unchanging = &self.unchanging;
        Taking {
            readers,
            unchanging,
            taken,
        }
        .all(context, mark, arguments)
    }

    fn found(&self, key: &[u64]) -> Option<Arc<Prepared>> {
        let table = self.prepared.read().unwrap_or_else(PoisonError::into_inner);
        let prepared = table.get(key)?.clone();
        drop(table);
        if prepared.watched.is_changed() {
            let mut table = self
                .prepared
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            table.remove(key);
            return None;
        }
        Some(prepared)
    }
}

fn send(
    py: Python<'_>,
    driver: &Driver,
    prepared: &Prepared,
    grid: [u32; 3],
    stream: u64,
    scratch: &mut Scratch,
) -> Option<()> {
    let Scratch {
        taken,
        words,
        pointers,
    } = scratch;
    words.clear();
    for source in &prepared.sources {
        words.push(source.word(taken)?);
    }
    pointers.clear();
    pointers.extend(words.iter_mut().map(|word| std::ptr::from_mut(word).cast()));
    // SAFETY: the key holds the context that the function was loaded in, and the sources are the program's own.
    let status = unsafe { driver.launch(prepared.function, grid, stream, pointers) };
    if status != 0 {
        return None;
    }
    prepared.tally.bind(py).get().add();
    Some(())
}

/// The driver's handle of a stream that is a number, or an object of torch.
fn handle(py: Python<'_>, stream: &Bound<'_, PyAny>) -> Option<u64> {
    if stream.is_exact_instance_of::<PyInt>() {
        return stream.extract().ok();
    }
    stream
        .getattr(intern!(py, "cuda_stream"))
        .ok()?
        .extract()
        .ok()
}

fn extents(grid: &Bound<'_, PyAny>) -> Option<[u32; 3]> {
    let grid = grid.cast_exact::<PyTuple>().ok()?;
    let mut found = [1; 3];
    if grid.is_empty() || grid.len() > 3 {
        return None;
    }
    for (axis, given) in grid.iter_borrowed().enumerate() {
        if !given.is_exact_instance_of::<PyInt>() {
            return None;
        }
        found[axis] = given.extract().ok()?;
        if !(1..=LARGEST_GRID[axis]).contains(&found[axis]) {
            return None;
        }
    }
    Some(found)
}
