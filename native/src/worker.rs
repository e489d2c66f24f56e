//! One long-lived thread with a large stack; panics inside it become messages.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Mutex, Once, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

/// Room for `depth::DEEPEST_EXPRESSION` levels; pages are reserved, and used only by a kernel that deep.
/// The second size is for machines that grant no more.
const STACK_SIZES_BYTES: [usize; 2] = [2 << 30, 1 << 30];

const THREAD_NAME: &str = "ferrotile-lower";

thread_local! {
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// `mi_option_purge_delay` of mimalloc's header, in milliseconds; the crate does not name it.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Keeps the pages of one kernel for the next, which needs as many: giving them back takes a tenth of the time.
fn keep_pages() {
    const NEVER: i64 = -1;
    // SAFETY: sets one number in the allocator's table of options.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, NEVER) };
}

/// Panics of the worker are answers, not noise on stderr; all others keep the hook they had.
fn record_panic_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let default_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() == Some(THREAD_NAME) {
                let place = info
                    .location()
                    .map(|l| format!("{}:{}", l.file(), l.line()));
                PANIC_PLACE.with(|p| *p.borrow_mut() = place);
            } else {
                default_hook(info);
            }
        }));
    });
}

fn spawn() -> Sender<Job> {
    record_panic_places();
    keep_pages();
    for size in STACK_SIZES_BYTES {
        let (tx, rx) = channel::<Job>();
        let thread = std::thread::Builder::new()
            .name(THREAD_NAME.into())
            .stack_size(size)
            .spawn(move || rx.into_iter().for_each(|job| job()));
        if thread.is_ok() {
            return tx;
        }
    }
    panic!("the system grants no thread with a stack of 1 GiB");
}

/// Hands a job to this process's worker. A forked child inherits no threads, so it gets its own.
fn send(job: Job) {
    static WORKER: Mutex<Option<(u32, Sender<Job>)>> = Mutex::new(None);
    let mut worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    let pid = std::process::id();
    if worker.as_ref().map(|(owner, _)| *owner) != Some(pid) {
        *worker = Some((pid, spawn()));
    }
    let (_, sender) = worker.as_ref().expect("set above");
    sender.send(job).expect("compiler thread alive");
}

fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|s| s.to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    match PANIC_PLACE.with(|p| p.borrow_mut().take()) {
        // Only the file name: the build machine's registry folder means nothing to a reader.
        Some(place) => format!("{text} [{}]", place.rsplit('/').next().unwrap_or("")),
        None => text,
    }
}

/// Runs `f` on the calling thread, which is the worker; `Err` holds the text of a panic.
pub fn caught<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(panic_text)
}

/// Runs `f` on the worker; `Err` holds the text of a panic.
pub fn call<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> Result<R, String> {
    let (tx, rx) = channel();
    send(Box::new(move || {
        let _ = tx.send(caught(f));
    }));
    rx.recv().expect("compiler thread answers")
}
