//! Estimates: while a thread has one open, its calls are not made. Their predicted times are added up.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::device;
use super::request::Request;
use crate::base::{Error, Result};

/// Number of open estimates in all threads. While it is 0, no thread needs to look at its own.
static OPEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Microseconds of this thread's calls, while an estimate is open.
    static SUM: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Begins an estimate of this thread's calls, on any communicator.
pub fn begin_estimate() -> Result<()> {
    if SUM.get().is_some() {
        return Err(Error::InvalidUsage("this thread has an estimate open already".into()));
    }
    SUM.set(Some(0.0));
    OPEN.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// Ends the estimate of this thread. Returns the predicted microseconds of its calls, one after the other.
pub fn end_estimate() -> Result<f64> {
    let sum = SUM.take().ok_or_else(|| Error::InvalidUsage("this thread has no estimate open".into()))?;
    OPEN.fetch_sub(1, Ordering::Relaxed);
    Ok(sum)
}

/// Whether this thread has an estimate open.
#[inline]
pub fn estimates() -> bool {
    OPEN.load(Ordering::Relaxed) > 0 && SUM.get().is_some()
}

/// Adds the time of a call that is not made. Returns a request that has ended.
#[cold]
pub(super) fn add(comm: &Communicator, call: &CallSpec) -> Result<Request> {
    comm.check_usable()?;
    if device::touches(comm, call) || comm.engines.on_host.is_some() {
        let text = "only calls of the builtin engine on memory of the CPU have an estimate";
        return Err(Error::Unsupported(text.into()));
    }
    let us = comm.plan_cache.predicted_us_of(call, &comm.topology)?;
    SUM.set(SUM.get().map(|sum| sum + us));
    Ok(Request::estimated(Arc::clone(&comm.driver)))
}
