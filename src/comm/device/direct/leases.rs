//! Parts of memory that calls use one at a time: slots of a bounce buffer, and slots for tables.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::base::{Error, Result};
use crate::sys::clock;

/// Longest time for which a call waits for a part.
const PATIENCE: Duration = Duration::from_secs(60);

/// The parts of one memory that are free, by number.
pub struct Leases {
    free: Mutex<Vec<usize>>,
    changed: Condvar,
}

/// A part that belongs to one call. Dropping it gives it back.
pub struct Lease {
    leases: Arc<Leases>,
    number: usize,
}

impl Leases {
    /// Parts with the numbers below `count`, all of them free.
    pub fn new(count: usize) -> Arc<Leases> {
        Arc::new(Leases { free: Mutex::new((0..count).collect()), changed: Condvar::new() })
    }

    /// Takes a part, and waits for one if all are in use.
    pub fn take(self: &Arc<Leases>) -> Result<Lease> {
        let end = clock::now() + PATIENCE;
        let mut free = self.free.lock();
        loop {
            if let Some(number) = free.pop() {
                return Ok(Lease { leases: Arc::clone(self), number });
            }
            if clock::wait_until(&self.changed, &mut free, end) {
                return Err(Error::InvalidUsage(
                    "too many calls on device memory are queued, and none of them has ended: a thread that makes calls for \
                     several ranks puts them into a group"
                        .into(),
                ));
            }
        }
    }
}

impl Lease {
    /// The number of the part.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Keeps the part from its next user for ever: a device may still use it.
    pub fn leak(self) {
        std::mem::forget(self);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.leases.free.lock().push(self.number);
        self.leases.changed.notify_one();
    }
}
