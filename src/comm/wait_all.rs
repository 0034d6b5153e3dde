//! Waiting for several operations.
//!
//! Whoever waits for one operation moves on all that share its links. With operations over several sets of links, each
//! must get its turn: another rank may wait for what this one started last.

use std::sync::Arc;

use super::request::Request;
use crate::base::Result;
use crate::progress::wait::{PendingCall, wait_for_first};
use crate::sys::cores::yield_now;

/// What can be waited for beside others.
pub trait Pending {
    /// Whether it has ended; moves everything of its communicator on.
    fn has_ended(&mut self) -> bool;

    /// What is waited for next.
    fn running(&self) -> Option<&Request>;
}

impl Pending for Request {
    fn has_ended(&mut self) -> bool {
        // An error is told by `wait`, at once then.
        !matches!(self.test(), Ok(false))
    }

    fn running(&self) -> Option<&Request> {
        Some(self)
    }
}

/// What the links of those that are under way wait for.
pub(super) fn awaited<'a, P: Pending + 'a>(pending: impl Iterator<Item = &'a P>) -> Vec<PendingCall<'a>> {
    pending.filter_map(Pending::running).filter_map(Request::awaited).collect()
}

/// Whether another engine is at one of those that are under way.
pub(super) fn any_foreign<'a, P: Pending + 'a>(mut pending: impl Iterator<Item = &'a P>) -> bool {
    pending.any(|work| work.running().is_some_and(Request::is_foreign))
}

/// Waits until those that are left share their links: any wait for one moves them all on.
pub fn wait_until_one_engine<P: Pending>(works: &mut [&mut P]) {
    loop {
        for work in works.iter_mut() {
            work.has_ended();
        }
        let running = awaited(works.iter().map(|work| &**work));
        if any_foreign(works.iter().map(|work| &**work)) {
            // Several engines: each must get its turn.
            yield_now();
            continue;
        }
        if running.windows(2).all(|pair| Arc::ptr_eq(&pair[0].driver, &pair[1].driver)) {
            return;
        }
        wait_for_first(&running);
    }
}

/// Waits for all; the first error is returned after all have ended.
pub fn wait_all(requests: &mut [&mut Request]) -> Result<()> {
    wait_until_one_engine(requests);
    let mut outcome = Ok(());
    for request in requests {
        let ended = request.wait();
        outcome = outcome.and(ended);
    }
    outcome
}
