//! Machine code that was compiled before, on disk: a file for each program, version of the compiler, architecture and
//! level of optimization. It appears whole, and is used only if every byte of it is as it was written.

use std::fs::{create_dir_all, read, remove_file, rename, write};
use std::path::{Path, PathBuf};

use super::compiler::LEVEL;
use super::is_whole;
use super::place::variable;
use super::scratch::unique;

/// Stands behind the machine code, before eight bytes of checksum; what is loaded ends before it.
const MARK: &[u8; 8] = b"ftcubin1";

/// A file of the cache, which may not be there.
pub struct Cached {
    path: PathBuf,
    name: String,
}

impl Cached {
    /// None where the user has no folder for caches.
    pub fn new(sha256: &str, version: &str, target: u32) -> Option<Cached> {
        let name = format!("{sha256}.{version}.sm_{target}.O{LEVEL}.cubin");
        let path = folder()?.join("jit").join(&name);
        Some(Cached { path, name })
    }

    /// The machine code, if it is there and undamaged.
    pub fn read(&self) -> Option<Vec<u8>> {
        let mut file = read(&self.path).ok()?;
        let length = file.len().checked_sub(MARK.len() + 8)?;
        let is_right = file[length..] == self.seal(&file[..length]) && is_whole(&file[..length]);
        file.truncate(length);
        is_right.then_some(file)
    }

    /// Keeps machine code for the next process. A cache that cannot be written to costs that one time, and no more.
    pub fn write(&self, cubin: &[u8]) {
        let Some(folder) = self.path.parent() else {
            return;
        };
        let temporary = folder.join(unique(".new"));
        let file = [cubin, &self.seal(cubin)].concat();
        let put = || {
            create_dir_all(folder)?;
            write(&temporary, file)?;
            rename(&temporary, &self.path)
        };
        if put().is_err() {
            let _ = remove_file(&temporary);
        }
    }

    /// What stands behind the machine code: it counts the name too, so that a file under another name is not used.
    fn seal(&self, cubin: &[u8]) -> [u8; 16] {
        let sum = checksum(self.name.as_bytes(), checksum(cubin, BASIS));
        let mut seal = [0; 16];
        seal[..8].copy_from_slice(MARK);
        seal[8..].copy_from_slice(&sum.to_le_bytes());
        seal
    }
}

/// As `ferrotile.core.tools.cache_folder`.
fn folder() -> Option<PathBuf> {
    if let Some(chosen) = variable("FERROTILE_CACHE") {
        return Some(chosen.into());
    }
    let base = match variable("XDG_CACHE_HOME") {
        Some(base) => base.into(),
        None => Path::new(&variable("HOME")?).join(".cache"),
    };
    Some(base.join("ferrotile"))
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of 64 bits, which every change of one byte changes: it finds damage, and is no protection against malice.
fn checksum(bytes: &[u8], basis: u64) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(basis, step)
}

#[cfg(test)]
mod tests {
    use super::super::scratch::Scratch;
    use super::super::tests::elf;
    use super::*;

    fn cached(folder: &Path, name: &str) -> Cached {
        Cached {
            path: folder.join("jit").join(name),
            name: name.to_owned(),
        }
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(checksum(b"", BASIS), BASIS);
        assert_eq!(checksum(b"foobar", BASIS), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else_is_left() {
        let folder = Scratch::new().unwrap();
        let (one, code) = (cached(folder.path(), "a"), elf(1, &[3; 64]));
        assert_eq!(one.read(), None);
        one.write(&code);
        assert_eq!(one.read(), Some(code));
        assert_eq!(
            std::fs::read_dir(folder.path().join("jit"))
                .unwrap()
                .count(),
            1
        );
    }

    #[test]
    fn a_damaged_cut_or_renamed_file_is_not_used() {
        let folder = Scratch::new().unwrap();
        let (one, other) = (cached(folder.path(), "a"), cached(folder.path(), "b"));
        one.write(&elf(1, &[3; 64]));
        let file = read(&one.path).unwrap();
        for at in 0..file.len() {
            let mut spoiled = file.clone();
            spoiled[at] ^= 4;
            write(&one.path, &spoiled).unwrap();
            assert_eq!(one.read(), None, "byte {at}");
            write(&one.path, &file[..at]).unwrap();
            assert_eq!(one.read(), None, "the first {at} bytes");
        }
        write(&other.path, &file).unwrap();
        assert_eq!(other.read(), None);
    }

    #[test]
    fn a_cache_that_cannot_be_written_to_does_no_harm() {
        let folder = Scratch::new().unwrap();
        write(
            folder.path().join("jit"),
            b"a file where a folder should be",
        )
        .unwrap();
        let one = cached(folder.path(), "a");
        one.write(&elf(0, b""));
        assert_eq!(one.read(), None);
    }
}
