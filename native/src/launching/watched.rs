//! Whether a file is still the one that a program was compiled from.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Asking the file system costs more than all the rest of a launch: once in this time is enough for who edits. Counted by
/// the processor's time stamp, which runs at 1 GHz or more on what CUDA runs on: a millisecond at most.
const BETWEEN_LOOKS: u64 = 1_000_000;

pub struct Watched {
    path: PathBuf,
    /// Time of the last change in nanoseconds, and size in bytes.
    stamp: (i128, u64),
    looked: u64,
}

impl Watched {
    /// The file with the stamp that it had when the program was made.
    pub fn new(path: PathBuf, stamp: (i128, u64)) -> Watched {
        let looked = 0;
        Watched {
            path,
            stamp,
            looked,
        }
    }

    /// A change is seen by every call that begins a millisecond or more after it.
    pub fn is_changed(&mut self) -> bool {
        let now = ticks();
        if now.wrapping_sub(self.looked) < BETWEEN_LOOKS {
            return false;
        }
        self.looked = now;
        let Ok(facts) = self.path.metadata() else {
            return true;
        };
        let changed_ns = i128::from(facts.mtime()) * 1_000_000_000 + i128::from(facts.mtime_nsec());
        (changed_ns, facts.size()) != self.stamp
    }
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_nanos() as u64 + BETWEEN_LOOKS
}
