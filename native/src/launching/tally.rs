//! How often a kernel was launched, and which one was launched last.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Launches of one kernel, by any thread. `last`: the number of its last launch among those of all kernels, from 1.
#[pyclass(frozen, module = "ferrotile._native")]
#[derive(Default)]
pub struct Tally {
    count: AtomicU64,
    last: AtomicU64,
}

#[pymethods]
impl Tally {
    #[new]
    fn new() -> Tally {
        Tally::default()
    }

    #[getter]
    fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    #[getter]
    fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    /// One more launch.
    pub fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.last.store(
            LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1,
            Ordering::Relaxed,
        );
    }

    /// Count from 0 again.
    fn reset(&self) {
        self.count.store(0, Ordering::Relaxed);
        self.last.store(0, Ordering::Relaxed);
    }
}
