//! A folder that nobody else can read or write, gone when it is no longer needed.

use std::fs::{remove_dir_all, DirBuilder};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How many names are tried: those of processes that were killed may still be there.
const TRIES: u32 = 1000;

pub struct Scratch(PathBuf);

impl Scratch {
    /// A new folder below the system's folder for temporary files.
    ///
    /// # Errors
    /// A sentence that says why there is none.
    pub fn new() -> Result<Scratch, String> {
        let base = std::env::temp_dir();
        let told = |error: Error| {
            format!(
                "no temporary folder can be made in `{}`: {error}",
                base.display()
            )
        };
        let base = std::path::absolute(&base).map_err(told)?;
        for _ in 0..TRIES {
            let path = base.join(unique("ferrotile"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(told(error)),
            }
        }
        Err(told(ErrorKind::AlreadyExists.into()))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = remove_dir_all(&self.0);
    }
}

/// A name that no other thread of a living process on this machine has.
pub fn unique(stem: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{stem}-{}-{number}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_is_private_and_goes() {
        let (one, other) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        assert_ne!(one.path(), other.path());
        let mode = one.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(one.path().join("file"), b"x").unwrap();
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists());
    }
}
