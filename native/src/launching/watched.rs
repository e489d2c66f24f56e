//! Whether a file is still the one that a program was compiled from.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Asking the file system costs as much as all the rest of a launch: once in this time is enough for who edits.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

pub struct Watched {
    path: PathBuf,
    /// Time of the last change in nanoseconds, and size in bytes.
    stamp: (i128, u64),
    since: Instant,
    looked_after_ns: AtomicU64,
}

impl Watched {
    /// The file with the stamp that it had when the program was made.
    pub fn new(path: PathBuf, stamp: (i128, u64)) -> Watched {
        Watched {
            path,
            stamp,
            since: Instant::now(),
            looked_after_ns: AtomicU64::new(0),
        }
    }

    /// A change is seen by every call that begins `BETWEEN_LOOKS` or more after it.
    pub fn is_changed(&self) -> bool {
        let now = self.since.elapsed().as_nanos() as u64;
        let before = self.looked_after_ns.load(Ordering::Relaxed);
        if now.wrapping_sub(before) < BETWEEN_LOOKS.as_nanos() as u64 {
            return false;
        }
        self.looked_after_ns.store(now, Ordering::Relaxed);
        let Ok(facts) = self.path.metadata() else {
            return true;
        };
        let changed_ns = i128::from(facts.mtime()) * 1_000_000_000 + i128::from(facts.mtime_nsec());
        (changed_ns, facts.size()) != self.stamp
    }
}
