//! Batches: calls that are started one after the other and waited for together.
//!
//! Starting an operation never blocks, so a batch needs no list of calls to make. A call inside a batch
//! starts its operation at once. What it would have waited for is kept until the end of the batch. All kept
//! operations progress together, whatever their order.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Work, estimates, wait_until_one_engine};

use crate::comm::Comm;
use crate::message_status::StatusPlace;
use crate::status::{anyccl_status_t, edge};

/// An operation that was started, and its communicator, which must stay as long.
pub type Started = (Work, Arc<Comm>);

/// An operation that the end of the batch waits for.
struct Kept {
    work: Work,
    place: StatusPlace,
    /// Keeps anyccl_comm_destroy from removing the communicator.
    _comm: Arc<Comm>,
}

/// Number of open batches in all threads. While it is 0, no thread needs to look at its own.
static OPEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Number of open batches in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
    static FIRST_ERROR: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Whether this thread is inside a batch.
#[inline]
pub fn is_open() -> bool {
    OPEN.load(Ordering::Relaxed) > 0 && is_open_here()
}

/// Not inlined: the caller is part of every small call, and a batch is rare.
#[cold]
#[inline(never)]
fn is_open_here() -> bool {
    DEPTH.get() > 0
}

/// Runs the operation that `start` starts to its end: now, or at the end of the batch.
pub fn run(place: StatusPlace, start: impl FnOnce() -> Result<Started>) -> Result<()> {
    noting(|| {
        let (mut work, comm) = start()?;
        if is_open() {
            KEPT.with_borrow_mut(|kept| kept.push(Kept { work, place, _comm: comm }));
            return Ok(());
        }
        work.wait()?;
        if let (Some(place), Some(status)) = (place, work.status()) {
            place.set(status.into());
        }
        Ok(())
    })
}

/// Passes on the result of `body`; inside a batch, it also keeps the first error for the end.
pub fn noting<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    let outcome = body();
    if let Err(error) = &outcome
        && is_open()
    {
        FIRST_ERROR.with_borrow_mut(|first| *first = first.take().or_else(|| Some(error.clone())));
    }
    outcome
}

/// Begins a batch: the calls of this thread up to anyccl_batch_end() are started together.
///
/// \returns ANYCCL_SUCCESS.
///
/// Local to this thread. Inside a batch, collectives, sends and receives on any communicator do not block:
/// each returns when it is started. Its buffers, and the status of a receive, belong to the library until the
/// end of the batch. Batches may be nested; the end of the outermost one counts. Replacement for
/// ncclGroupStart.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_batch_begin() -> anyccl_status_t {
    edge("anyccl_batch_begin", || {
        open();
        Ok(())
    })
}

/// Ends a batch: waits until all its calls are complete.
///
/// \returns ANYCCL_SUCCESS when all calls have succeeded; otherwise the first failure, after all have ended.
///          A call whose argument was refused has already returned that status; it is reported here again,
///          and does not affect the other calls. ANYCCL_ERR_INVALID_USAGE without a batch.
///
/// The call blocks, at most for the timeouts of the communicators. The end of an inner batch does not block.
/// Requests that were made inside the batch must still be waited for. Replacement for ncclGroupEnd.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_batch_end() -> anyccl_status_t {
    edge("anyccl_batch_end", || match DEPTH.get() {
        1 if estimates() => {
            Err(Error::InvalidUsage("the batch is an estimate: anyccl_estimate_end ends it".into()))
        }
        _ => close(),
    })
}

/// Opens a batch on this thread.
pub fn open() {
    OPEN.fetch_add(1, Ordering::Relaxed);
    DEPTH.set(DEPTH.get() + 1);
}

/// Closes the innermost batch of this thread.
pub fn close() -> Result<()> {
    match DEPTH.get() {
        0 => return Err(Error::InvalidUsage("no batch was begun on this thread".into())),
        depth => DEPTH.set(depth - 1),
    }
    OPEN.fetch_sub(1, Ordering::Relaxed);
    if is_open() { Ok(()) } else { finish() }
}

fn finish() -> Result<()> {
    let mut kept = KEPT.take();
    let refused = FIRST_ERROR.take();
    wait_until_one_engine(&mut kept.iter_mut().map(|kept| &mut kept.work).collect::<Vec<_>>());
    let mut outcome = Ok(());
    for Kept { mut work, place, .. } in kept {
        let ended = work.wait();
        outcome = outcome.and(ended);
        if let (Some(place), Some(status)) = (place, work.status()) {
            place.set(status.into());
        }
    }
    refused.map_or(outcome, Err)
}
