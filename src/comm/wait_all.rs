//! Waiting for several operations.
//!
//! A wait for one operation makes progress on all that share its links. Operations over several sets of links
//! need turns for each set, because another rank may wait for the operation that this rank started last.

use std::sync::Arc;

use super::request::{Request, Watch};
use crate::base::Result;
use crate::progress::wait::{PendingCall, wait_for_first};
use crate::sys::cores::yield_now;

/// An operation that can be waited for together with others.
pub trait Pending {
    /// Whether it has ended. Makes progress on everything of its communicator.
    fn has_ended(&mut self) -> bool;

    /// The request to wait for next.
    fn running(&self) -> Option<&Request>;
}

impl Pending for Request {
    fn has_ended(&mut self) -> bool {
        // `wait` returns an error later, at once.
        !matches!(self.test(), Ok(false))
    }

    fn running(&self) -> Option<&Request> {
        Some(self)
    }
}

/// The calls of the builtin engine among the operations that are under way.
pub(super) fn pending_calls<'a, P: Pending + 'a>(
    pending: impl Iterator<Item = &'a P>,
) -> Vec<PendingCall<'a>> {
    pending.filter_map(Pending::running).filter_map(Request::pending_call).collect()
}

/// Whether any of the operations is under way in another engine. Notes that a thread waits for these.
pub(super) fn note_foreign_waits<'a>(running: impl Iterator<Item = &'a Request>) -> bool {
    running.filter(|request| request.is_foreign()).map(Request::note_wait).count() > 0
}

/// Waits until the remaining operations share one engine. Any wait for one of them then makes progress on
/// all.
pub fn wait_until_one_engine<P: Pending>(works: &mut [&mut P]) {
    if share_one_engine(works) {
        return;
    }
    loop {
        for work in works.iter_mut() {
            work.has_ended();
        }
        let running = pending_calls(works.iter().map(|work| &**work));
        if note_foreign_waits(works.iter().filter_map(|work| work.running())) {
            // There are several engines, and each must get its turn.
            yield_now();
            continue;
        }
        if running.windows(2).all(|pair| Arc::ptr_eq(&pair[0].driver, &pair[1].driver)) {
            return;
        }
        wait_for_first(&running);
    }
}

/// Waits until one of the requests has ended, or something has moved that may soon end one. They may belong
/// to several communicators. `test` shows which one has ended.
pub fn wait_for_any<'a>(requests: impl Iterator<Item = &'a Request> + Clone) {
    if note_foreign_waits(requests.clone()) {
        // Only another test shows the end.
        yield_now();
        return;
    }
    wait_for_first(&requests.filter_map(Request::pending_call).collect::<Vec<_>>());
}

/// Waits like [`wait_for_any`], without the requests.
pub fn wait_for_watched(watches: &[Watch]) {
    wait_for_first(&watches.iter().map(Watch::pending_call).collect::<Vec<_>>());
}

/// Whether all operations belong to the same engine, which is the builtin one.
fn share_one_engine<P: Pending>(works: &[&mut P]) -> bool {
    let mut requests = works.iter().map(|work| work.running());
    let Some(Some(first)) = requests.next() else { return works.is_empty() };
    !first.is_foreign() && requests.all(|request| request.is_some_and(|next| next.shares_engine(first)))
}

/// Waits for all requests. Returns the first error after all have ended.
pub fn wait_all(requests: &mut [&mut Request]) -> Result<()> {
    wait_until_one_engine(requests);
    let mut outcome = Ok(());
    for request in requests {
        let ended = request.wait();
        outcome = outcome.and(ended);
    }
    outcome
}
