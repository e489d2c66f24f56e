//! The launches that were prepared in Python, answered again without it: a key of the arguments, the words that the
//! program takes, one call of the driver. Whatever is out of the ordinary is left to Python, which says what is wrong.
//!
//! The interpreter's lock is held throughout, as cuTile Python's own launcher holds it.

mod chosen;
mod driver;
mod exchange;
mod guarded;
mod hook;
mod key;
mod number;
mod prepared;
mod source;
mod tally;
mod watched;

use pyo3::prelude::*;

/// Adds the classes of this module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<chosen::Chosen>()?;
    module.add_class::<hook::Hook>()?;
    module.add_class::<key::Mark>()?;
    module.add_class::<prepared::Launches>()?;
    module.add_class::<tally::Tally>()?;
    Ok(())
}
