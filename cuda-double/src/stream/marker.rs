//! How far a stream is, and points in it that others wait for.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Operations that a stream was given and has finished.
#[derive(Debug, Default)]
pub struct Progress {
    state: Mutex<(u64, u64)>,
    changed: Condvar,
}

impl Progress {
    /// Counts one more operation and gives its number.
    pub fn begin(&self) -> u64 {
        let mut state = self.state.lock();
        state.0 += 1;
        state.0
    }

    /// Number of operations that were given.
    pub fn given(&self) -> u64 {
        self.state.lock().0
    }

    /// Notes that the operation `number` and all before it are done.
    pub fn finish(&self, number: u64) {
        self.state.lock().1 = number;
        self.changed.notify_all();
    }
}

/// A point in a stream.
#[derive(Clone, Debug)]
pub struct Marker {
    progress: Arc<Progress>,
    number: u64,
}

impl Marker {
    /// The point after operation `number`.
    pub fn new(progress: &Arc<Progress>, number: u64) -> Marker {
        Marker { progress: Arc::clone(progress), number }
    }

    /// Whether the stream has passed it.
    pub fn is_reached(&self) -> bool {
        self.progress.state.lock().1 >= self.number
    }

    /// Waits until the stream has passed it.
    pub fn wait(&self) {
        let mut state = self.progress.state.lock();
        self.progress.changed.wait_while(&mut state, |state| state.1 < self.number);
    }

    /// Waits for at most `limit`; whether the stream has passed it.
    pub fn wait_for(&self, limit: Duration) -> bool {
        let mut state = self.progress.state.lock();
        let timeout = self.progress.changed.wait_while_for(&mut state, |state| state.1 < self.number, limit);
        !timeout.timed_out() || state.1 >= self.number
    }
}
