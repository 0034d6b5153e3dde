//! Any operation that a program may have started and not waited for yet.

use std::time::Instant;

use super::persistent::Persistent;
use super::request::Request;
use super::wait_all::{Pending, note_foreign_waits, pending_calls};
use crate::base::Result;
use crate::p2p::Status;
use crate::progress::wait::{wait_for_first, wait_for_first_until};
use crate::sys::clock;
use crate::sys::cores::yield_now;

/// Waits until one of the operations that are under way has ended. Returns the indices of all that have ended
/// by then; none if none is under way. The operations may belong to several communicators.
pub fn wait_some(works: &mut [&mut Work]) -> Vec<usize> {
    loop {
        let mut ended = Vec::new();
        for (at, work) in works.iter_mut().enumerate() {
            if !work.is_inactive() && work.has_ended() {
                ended.push(at);
            }
        }
        let running = pending_calls(works.iter().map(|work| &**work));
        let some_foreign = note_foreign_waits(works.iter().filter_map(|work| work.running()));
        if !ended.is_empty() || (running.is_empty() && !some_foreign) {
            return ended;
        }
        if some_foreign {
            yield_now();
        } else {
            wait_for_first(&running);
        }
    }
}

/// A started operation of any kind.
pub enum Work {
    /// An operation that ends once.
    Once(Request),
    /// An operation that may be started again.
    Persistent(Box<Persistent>),
}

impl Work {
    /// Waits for the end. Returns at once if nothing is under way.
    pub fn wait(&mut self) -> Result<()> {
        match self {
            Work::Once(request) => request.wait(),
            Work::Persistent(persistent) => persistent.wait(),
        }
    }

    /// Whether it has ended. Makes progress on everything of its communicator. `wait` then returns the
    /// outcome at once.
    pub fn has_ended(&mut self) -> bool {
        match self {
            Work::Once(request) => !matches!(request.test(), Ok(false)),
            Work::Persistent(persistent) => persistent.has_ended(),
        }
    }

    /// Waits for the end, at most until `end`. Returns whether the operation has ended.
    pub fn wait_until(&mut self, end: Instant) -> bool {
        loop {
            // The clock is read before the test, so an end within the time is always seen.
            let is_late = clock::now() >= end;
            let has_ended = self.has_ended();
            if has_ended || is_late {
                return has_ended;
            }
            if note_foreign_waits(self.running().into_iter()) {
                yield_now();
                continue;
            }
            match self.running().and_then(Request::pending_call) {
                Some(call) => wait_for_first_until(&[call], Some(end)),
                None => return true,
            }
        }
    }

    /// Status of the message of the last run, if it was a message and has ended well.
    pub fn status(&self) -> Option<Status> {
        match self {
            Work::Once(request) => request.status(),
            Work::Persistent(persistent) => persistent.status(),
        }
    }

    /// Cancels a receive that has not matched a message yet.
    pub fn cancel(&self) {
        if let Some(request) = self.running() {
            request.cancel();
        }
    }

    /// Whether nothing is under way because the operation has to be started first.
    pub fn is_inactive(&self) -> bool {
        matches!(self, Work::Persistent(persistent) if !persistent.is_running())
    }

    /// The request to wait for next.
    pub(super) fn running(&self) -> Option<&Request> {
        match self {
            Work::Once(request) => Some(request),
            Work::Persistent(persistent) => persistent.running(),
        }
    }
}

impl Pending for Work {
    fn has_ended(&mut self) -> bool {
        Work::has_ended(self)
    }

    fn running(&self) -> Option<&Request> {
        Work::running(self)
    }
}

impl From<Request> for Work {
    fn from(request: Request) -> Work {
        Work::Once(request)
    }
}

impl From<Persistent> for Work {
    fn from(persistent: Persistent) -> Work {
        Work::Persistent(Box::new(persistent))
    }
}
