//! What tells the end of an access to another host: how many of its messages have no answer yet.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// Messages of one access.
#[derive(Default)]
pub struct Countdown {
    left: AtomicUsize,
    failure: OnceLock<Error>,
}

impl Countdown {
    /// Notes a message that will be answered.
    pub fn add(&self) {
        self.left.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes an answer.
    pub fn end_one(&self, failure: Option<Error>) {
        if let Some(failure) = failure {
            // The first one counts.
            let _ = self.failure.set(failure);
        }
        self.left.fetch_sub(1, Ordering::Release);
    }

    /// Whether every message has its answer.
    pub fn is_over(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    /// How the access has ended.
    pub fn outcome(&self) -> Result<()> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }
}
