//! The outcome of a call, as one thread waits for it and another one brings it.
//!
//! Any thread may wait for the outcome, look at it, or ask that the call be cancelled. A request to cancel is
//! only noted: the thread that works on the call sees it, and brings the outcome in any case. The first
//! outcome stays, so all who wait get the same. A model checks this (crate `anyccl-models`).

use crate::sys::sync::{AtomicBool, Condvar, Mutex, Ordering};

/// See the module head.
pub(crate) struct OutcomeCell<T> {
    outcome: Mutex<Option<T>>,
    has_outcome: Condvar,
    is_cancelled: AtomicBool,
}

impl<T> Default for OutcomeCell<T> {
    fn default() -> OutcomeCell<T> {
        OutcomeCell {
            outcome: Mutex::default(),
            has_outcome: Condvar::default(),
            is_cancelled: AtomicBool::new(false),
        }
    }
}

impl<T: Clone> OutcomeCell<T> {
    /// Sets the outcome. The first one stays.
    pub fn set(&self, outcome: T) {
        self.outcome.lock().get_or_insert(outcome);
        self.has_outcome.notify_all();
    }

    /// The outcome, if there is one.
    pub fn get(&self) -> Option<T> {
        self.outcome.lock().clone()
    }

    /// Waits for the outcome.
    pub fn wait(&self) -> T {
        let mut outcome = self.outcome.lock();
        loop {
            if let Some(outcome) = outcome.as_ref() {
                return outcome.clone();
            }
            self.has_outcome.wait(&mut outcome);
        }
    }

    /// Asks that a receive be cancelled.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether a receive should be cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "outcome_cell/model.rs"]
mod model;
