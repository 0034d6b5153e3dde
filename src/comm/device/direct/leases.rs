//! Parts of memory that calls use one at a time: slots of a bounce buffer, and slots for tables.

use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

/// The parts of one memory that are free, by number.
pub struct Leases(Mutex<Vec<usize>>);

/// A part that belongs to one call. Dropping it gives it back.
pub struct Lease {
    leases: Arc<Leases>,
    number: usize,
}

impl Leases {
    /// Parts with these numbers, all of them free.
    pub fn of(numbers: Range<usize>) -> Arc<Leases> {
        Arc::new(Leases(Mutex::new(numbers.collect())))
    }

    /// Number of free parts.
    pub fn free(&self) -> usize {
        self.0.lock().len()
    }

    /// Takes a part. `None`: all are in use.
    pub fn take(self: &Arc<Leases>) -> Option<Lease> {
        let number = self.0.lock().pop()?;
        Some(Lease { leases: Arc::clone(self), number })
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
        self.leases.0.lock().push(self.number);
    }
}
