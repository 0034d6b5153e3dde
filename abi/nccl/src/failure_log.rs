//! The latest failure of the process, for a thread that has none of its own.

use anyccl_edge::PerProcess;
use anyccl_engine::base::Error;
use parking_lot::Mutex;

/// Function name and sentence of the latest failure of any thread.
static LATEST: PerProcess<Mutex<String>> = PerProcess::new();

fn slot() -> &'static Mutex<String> {
    &LATEST.get_or(Mutex::default).value
}

/// The latest failure; empty if nothing has failed.
pub fn latest() -> String {
    slot().lock().clone()
}

/// Keeps a failure of any thread. The failing thread has the sentence already.
pub fn note(name: &str, error: &Error) {
    *slot().lock() = format!("{name}: {error}");
}
