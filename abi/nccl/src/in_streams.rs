//! The calls of a communicator that are in streams, until their ends are seen.

use std::collections::VecDeque;

use anyccl_engine::base::Result;
use anyccl_engine::comm::StreamedCall;
use anyccl_engine::p2p::Status;
use parking_lot::Mutex;

use crate::completion::check_count;

/// Calls in streams whose end has not been seen.
#[derive(Default)]
pub struct InStreams(Mutex<VecDeque<(StreamedCall, Option<u64>)>>);

impl InStreams {
    /// Keeps a call, and the number of elements that a receive should get. Returns the first failure of
    /// earlier ones.
    pub fn keep(&self, call: StreamedCall, expected: Option<u64>) -> Result<()> {
        let outcome = self.see_ends();
        self.0.lock().push_back((call, expected));
        outcome
    }

    /// Forgets the calls that have ended, and returns the first failure among them.
    pub fn see_ends(&self) -> Result<()> {
        let mut outcome = Ok(());
        self.0.lock().retain(|(call, expected)| {
            let Some(ended) = call.outcome() else { return true };
            let ended = check_end(ended, *expected);
            if outcome.is_ok() {
                outcome = ended;
            }
            false
        });
        outcome
    }

    /// Waits for all calls, and returns the first failure.
    pub fn flush(&self) -> Result<()> {
        let mut outcome = Ok(());
        let calls = std::mem::take(&mut *self.0.lock());
        for (call, expected) in calls {
            let ended = check_end(call.wait(), expected);
            outcome = outcome.and(ended);
        }
        outcome
    }
}

fn check_end(ended: Result<Option<Status>>, expected: Option<u64>) -> Result<()> {
    check_count(ended?, expected)
}
