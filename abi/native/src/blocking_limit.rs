//! A limit to the time that blocking calls of a thread wait.
//!
//! The library cannot know when a program has something more urgent to do than to wait: a signal to handle,
//! another thread of an interpreter to run. With a limit, a blocking call returns at some point, and what is
//! left of it is a request. A call that ends in time never looks at the limit on its fast path.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyccl_edge::Out;
use anyccl_edge::check::{invalid, not_null};
use anyccl_engine::base::{BoxedResult, Result};
use anyccl_engine::comm::{Communicator, Late, Work};
use anyccl_engine::sys::clock;

use crate::comm::Comm;
use crate::config::ANYCCL_TIMEOUT_NEVER;
use crate::message_status::StatusPlace;
use crate::request::{anyccl_request_t, hand_out};
use crate::status::{anyccl_status_t, edge};

/// Whether any thread has ever set a limit. Until then, no call needs to look at its own.
static IS_USED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LIMIT: Cell<Option<Limit>> = const { Cell::new(None) };
}

/// What this thread has set.
#[derive(Clone, Copy)]
pub struct Limit {
    time: Duration,
    unfinished: *mut anyccl_request_t,
}

impl Limit {
    /// Waits for a call, at most until the limit. What has not ended by then goes on as a request.
    pub fn end(self, mut work: Work, comm: Arc<Comm>, place: StatusPlace) -> Result<()> {
        // A time beyond the range of the clock is no limit.
        let until = clock::now().checked_add(self.time);
        if until.is_some_and(|until| !work.wait_until(until)) {
            // SAFETY: the thread promised a place that it keeps until it sets another limit.
            hand_out(work, comm, unsafe { Out::new(self.unfinished, "unfinished") }?);
            return Ok(());
        }
        work.wait()?;
        if let (Some(place), Some(status)) = (place, work.status()) {
            place.set(status.into());
        }
        Ok(())
    }
}

/// The limit of this thread, if it has one that a call on this communicator keeps to. Calls in a stream of
/// the program do not wait.
#[inline]
pub fn of(comm: &Communicator) -> Option<Limit> {
    if IS_USED.load(Ordering::Relaxed) { of_this_thread(comm) } else { None }
}

#[cold]
fn of_this_thread(comm: &Communicator) -> Option<Limit> {
    LIMIT.get().filter(|_| !comm.has_stream())
}

/// Runs `body` without the limit.
pub fn without<T>(body: impl FnOnce() -> T) -> T {
    let limit = LIMIT.take();
    let result = body();
    LIMIT.set(limit);
    result
}

/// Ends a call that has begun on the fast path and waits for another rank.
#[cold]
pub fn end_late(late: Late, comm: &Arc<Comm>, place: StatusPlace) -> BoxedResult<()> {
    if let Some(limit) = LIMIT.get() {
        return Ok(limit.end(late.into_request().into(), Arc::clone(comm), place)?);
    }
    let ended = late.wait()?;
    if let (Some(place), Some(status)) = (place, ended) {
        place.set(status.into());
    }
    Ok(())
}

/// Lets blocking calls of this thread return before their operation has ended.
///
/// \param[in] limit_ms    Longest time that a call waits, 0 or more. ANYCCL_TIMEOUT_NEVER: calls wait until
///                        their operation has ended, as they do at first.
/// \param[in] unfinished  Place for a request. It must stay writable until the thread sets another limit, or
///                        ends. Not used, and may be NULL, with ANYCCL_TIMEOUT_NEVER.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a limit_ms below -1, or when unfinished is NULL
///          beside another limit than ANYCCL_TIMEOUT_NEVER.
///
/// If the operation of a blocking collective, send or receive has not ended after limit_ms, the call writes a
/// request to *unfinished and returns ANYCCL_SUCCESS. The operation goes on and uses its buffers, as if the
/// nonblocking form had started it: see \ref nonblocking. A call that ends in time does not change
/// *unfinished, so set that to NULL before each call. The status of a received message comes from
/// anyccl_wait_for() then.
///
/// There is no limit for anyccl_sendrecv(), probes, calls in a batch, functions that wait for requests, and
/// calls on a communicator with a stream. The limit is for bindings of languages that look after signals
/// between calls. Local.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_set_blocking_limit(
    limit_ms: i64,
    unfinished: *mut anyccl_request_t,
) -> anyccl_status_t {
    const NEVER: i64 = ANYCCL_TIMEOUT_NEVER as i64;
    edge("anyccl_set_blocking_limit", || {
        let limit = match limit_ms {
            NEVER => None,
            ms => {
                let Ok(ms) = u64::try_from(ms) else {
                    return invalid(
                        "limit_ms",
                        format!("{ms}; accepted: ANYCCL_TIMEOUT_NEVER, or milliseconds"),
                    );
                };
                not_null(unfinished, "unfinished")?;
                Some(Limit { time: Duration::from_millis(ms), unfinished })
            }
        };
        IS_USED.store(true, Ordering::Relaxed);
        LIMIT.set(limit);
        Ok(())
    })
}
