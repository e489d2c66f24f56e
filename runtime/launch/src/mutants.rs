//! Checks that a test has switched off: a check without which nothing changes checks nothing.

use std::sync::atomic::{AtomicI32, Ordering};

use crate::codes::Code;

static OFF: AtomicI32 = AtomicI32::new(0);
/// A code that no check has: switched off, the launch itself breaks down.
const BREAK_DOWN: i32 = 1;

/// Takes out the check that refuses with this code; 0 puts all of them back, 1 makes every launch panic.
pub fn switch_off(code: i32) {
    OFF.store(code, Ordering::Relaxed);
}

pub fn is_on(code: Code) -> bool {
    OFF.load(Ordering::Relaxed) != code as i32
}

pub fn break_down_if_asked() {
    assert!(
        OFF.load(Ordering::Relaxed) != BREAK_DOWN,
        "asked to break down"
    );
}
