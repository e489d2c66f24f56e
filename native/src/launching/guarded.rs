//! State that the interpreter's lock guards.

use std::cell::{RefCell, RefMut};

use pyo3::prelude::*;

/// What only the holder of the interpreter's lock touches. Borrowed by one at a time: the lock can pass to another thread
/// where Python code runs, and that thread must not find a half-made state.
#[derive(Default)]
pub struct Guarded<T>(RefCell<T>);

// SAFETY: `borrow` asks for the proof that the lock is held, and the proof lives as long as what is borrowed. The stable
// ABI, which this extension is built for, has no interpreters without that lock.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub fn new(value: T) -> Guarded<T> {
        Guarded(RefCell::new(value))
    }

    /// None while somebody else has it.
    pub fn borrow<'a>(&'a self, _locked: Python<'a>) -> Option<RefMut<'a, T>> {
        self.0.try_borrow_mut().ok()
    }
}
