//! Batches: calls that are started one after the other and waited for together.
//!
//! No start ever waits, so a batch needs no list of what is to be done: what is called inside of it is
//! started at once, and what would have waited is kept to be waited for at the end. All of it moves together,
//! whatever the order.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Work, wait_until_one_engine};

use crate::comm::Comm;
use crate::message_status::StatusPlace;
use crate::status::{anyccl_status_t, edge};

/// An operation that was started, and the communicator that must stay for it.
pub type Started = (Work, Arc<Comm>);

/// An operation that the end of the batch waits for.
struct Kept {
    work: Work,
    place: StatusPlace,
    /// Keeps destroy from taking the communicator away.
    _comm: Arc<Comm>,
}

/// Begins without an end so far, of all threads: where there are none, no thread need look for its own.
static OPEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Begins without an end so far.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
    static FIRST_ERROR: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Whether this thread is inside of a batch.
#[inline]
pub fn is_open() -> bool {
    OPEN.load(Ordering::Relaxed) > 0 && is_open_here()
}

/// Out of line, as in `is_inside_callback`.
#[cold]
#[inline(never)]
fn is_open_here() -> bool {
    DEPTH.get() > 0
}

/// Runs what is started here to its end: now, or inside of a batch at its end.
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

/// Remembers an error inside of a batch for its end.
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
        OPEN.fetch_add(1, Ordering::Relaxed);
        DEPTH.set(DEPTH.get() + 1);
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
    edge("anyccl_batch_end", || {
        match DEPTH.get() {
            0 => return Err(Error::InvalidUsage("no batch was begun on this thread".into())),
            depth => DEPTH.set(depth - 1),
        }
        OPEN.fetch_sub(1, Ordering::Relaxed);
        if is_open() { Ok(()) } else { finish() }
    })
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
