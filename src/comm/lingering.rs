//! Engines whose rank has left, or says goodbye in the background. Their links stay open until the others
//! have what was sent to them.
//!
//! A thread keeps each of them for a while. If the process exits before, the exit waits instead: the kernel
//! would reset connections over which a peer still sends, and drop what has not come to the peer yet. A rank
//! that says goodbye at that time quits.

use std::sync::{Arc, Once};
use std::time::Duration;

use parking_lot::Mutex;

use crate::progress::CommId;
use crate::progress::wait::Driver;
use crate::sys::at_exit;
use crate::sys::per_process::PerProcess;

/// Longest time for which the exit of the process waits. Packets that were lost twice have come by then.
const PATIENCE: Duration = Duration::from_secs(5);

/// An engine, and the communicator in it that says goodbye.
type Lingering = (Arc<Driver>, Option<CommId>);

static ENGINES: PerProcess<Mutex<Vec<Lingering>>> = PerProcess::new();
static AT_EXIT: Once = Once::new();

fn engines() -> &'static Mutex<Vec<Lingering>> {
    &ENGINES.get_or(Mutex::default).value
}

fn keep(lingering: Lingering) {
    AT_EXIT.call_once(|| at_exit::run(see_off));
    engines().lock().push(lingering);
}

/// Keeps the links of an engine open until it is removed.
pub(super) fn add(engine: &Arc<Driver>) {
    keep((Arc::clone(engine), None));
}

/// Like [`add`], for an engine that says goodbye in a communicator. An exit of the process ends the goodbye.
pub(super) fn add_goodbye(engine: &Arc<Driver>, comm: CommId) {
    keep((Arc::clone(engine), Some(comm)));
}

/// Holds the lock of the engines.
#[cfg(test)]
pub(super) fn hold() -> impl Drop {
    engines().lock()
}

pub(super) fn remove(engine: &Arc<Driver>) {
    engines().lock().retain(|(other, _)| !Arc::ptr_eq(other, engine));
}

/// Runs at the exit of the process, and of its children of fork.
pub(super) extern "C" fn see_off() {
    let lingering = std::mem::take(&mut *engines().lock());
    for (engine, comm) in &lingering {
        // If this fails, the communicator has failed or other ranks have it no longer.
        let _ = comm.is_some_and(|comm| engine.quit_companion(comm, "exit of the process"));
    }
    for (engine, _) in lingering {
        engine.wait_until_delivered(PATIENCE);
    }
}
