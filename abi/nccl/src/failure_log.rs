//! The latest failure of the process, for a thread that asks without a failure of its own.

use anyccl_edge::PerProcess;
use anyccl_engine::base::Error;
use parking_lot::Mutex;

/// Name of the function and sentence of the latest failure of any thread.
static LATEST: PerProcess<Mutex<String>> = PerProcess::new();

fn slot() -> &'static Mutex<String> {
    &LATEST.get_or(Mutex::default).value
}

/// The latest failure; empty when nothing has failed.
pub fn latest() -> String {
    slot().lock().clone()
}

/// Keeps a failure for whoever asks. The thread's own sentence is there already.
pub fn note(name: &str, error: &Error) {
    *slot().lock() = format!("{name}: {error}");
}
