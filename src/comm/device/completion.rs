//! The end of a call on a device, as a request waits for it.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::progress::CallOutcome;

/// The outcome of a call, once its stream has passed it.
#[derive(Default)]
pub(in crate::comm) struct DeviceCompletion {
    outcome: Mutex<Option<CallOutcome>>,
    has_outcome: Condvar,
    is_cancelled: AtomicBool,
}

impl DeviceCompletion {
    /// Sets the outcome. The first one stays.
    pub fn set(&self, outcome: CallOutcome) {
        self.outcome.lock().get_or_insert(outcome);
        self.has_outcome.notify_all();
    }

    /// The outcome, if there is one.
    pub fn get(&self) -> Option<CallOutcome> {
        self.outcome.lock().clone()
    }

    /// Waits for the outcome.
    pub fn wait(&self) -> CallOutcome {
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
