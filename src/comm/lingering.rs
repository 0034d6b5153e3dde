//! Engines whose rank has left, and whose links stay open until the others have what was sent to them.
//!
//! A thread keeps each of them for a while. If the process exits before, the exit waits instead: the kernel
//! would reset connections over which a peer still sends, and drop what has not come to the peer yet.

use std::sync::{Arc, Once};
use std::time::Duration;

use parking_lot::Mutex;

use crate::progress::wait::Driver;
use crate::sys::at_exit;
use crate::sys::per_process::PerProcess;

/// Longest time for which the exit of the process waits. Packets that were lost twice have come by then.
const PATIENCE: Duration = Duration::from_secs(5);

static ENGINES: PerProcess<Mutex<Vec<Arc<Driver>>>> = PerProcess::new();
static AT_EXIT: Once = Once::new();

fn engines() -> &'static Mutex<Vec<Arc<Driver>>> {
    &ENGINES.get_or(Mutex::default).value
}

/// Keeps the links of an engine open until it is removed.
pub(super) fn add(engine: &Arc<Driver>) {
    AT_EXIT.call_once(|| at_exit::run(see_off));
    engines().lock().push(Arc::clone(engine));
}

/// Holds the lock of the engines.
#[cfg(test)]
pub(super) fn hold() -> impl Drop {
    engines().lock()
}

pub(super) fn remove(engine: &Arc<Driver>) {
    engines().lock().retain(|other| !Arc::ptr_eq(other, engine));
}

/// Runs at the exit of the process, and of its children of fork.
pub(super) extern "C" fn see_off() {
    for engine in std::mem::take(&mut *engines().lock()) {
        engine.wait_until_delivered(PATIENCE);
    }
}
