//! One long-lived thread with a large stack; panics inside it become messages.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Mutex, OnceLock};

type Job = Box<dyn FnOnce() + Send>;

/// A 2000-line flattened kernel nests thousands of frames in the type inference pass.
const STACK_SIZE_BYTES: usize = 512 << 20;

thread_local! {
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn sender() -> &'static Mutex<Sender<Job>> {
    static SENDER: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    SENDER.get_or_init(|| {
        let (tx, rx) = channel::<Job>();
        std::thread::Builder::new()
            .name("ferrotile-lower".into())
            .stack_size(STACK_SIZE_BYTES)
            .spawn(move || {
                let default_hook = std::panic::take_hook();
                std::panic::set_hook(Box::new(move |info| {
                    if std::thread::current().name() == Some("ferrotile-lower") {
                        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line()));
                        PANIC_PLACE.with(|p| *p.borrow_mut() = place);
                    } else {
                        default_hook(info);
                    }
                }));
                for job in rx {
                    job();
                }
            })
            .expect("spawning the compiler thread");
        Mutex::new(tx)
    })
}

fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|s| s.to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    match PANIC_PLACE.with(|p| p.borrow_mut().take()) {
        // Only the file name: the build machine's registry folder means nothing to a reader.
        Some(place) => format!("{text} (compiler source {})", place.rsplit('/').next().unwrap_or("")),
        None => text,
    }
}

/// Runs `f` on the worker; `Err` holds the text of a panic.
pub fn call<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> Result<R, String> {
    let (tx, rx) = channel();
    let job: Job = Box::new(move || {
        let result = catch_unwind(AssertUnwindSafe(f)).map_err(panic_text);
        let _ = tx.send(result);
    });
    sender().lock().expect("sender lock").send(job).expect("compiler thread alive");
    rx.recv().expect("compiler thread answers")
}
