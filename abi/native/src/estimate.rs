//! Estimates: the time of calls that are not made.
//!
//! The calls of an estimate are those of a batch, so each takes the way on which it is started.

use anyccl_edge::Out;
use anyccl_engine::base::Error;
use anyccl_engine::comm::{begin_estimate, end_estimate, estimates};

use crate::batch;
use crate::status::{anyccl_status_t, edge};

/// Begins an estimate: the calls of this thread up to anyccl_estimate_end() are not made; their time is
/// predicted.
///
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE if this thread has an estimate or a batch open already.
///
/// Local: other ranks need not do the same. Until the end, collectives, sends and receives on any
/// communicator check their arguments, touch no buffer and return at once; requests that they give have
/// ended. Persistent requests, probes that wait, and receives of messages that were taken out are refused
/// meanwhile; communicators are made as always.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_estimate_begin() -> anyccl_status_t {
    edge("anyccl_estimate_begin", || {
        if batch::is_open() && !estimates() {
            return Err(Error::InvalidUsage("an estimate cannot begin inside a batch".into()));
        }
        begin_estimate()?;
        batch::open();
        Ok(())
    })
}

/// Ends an estimate, and tells how long its calls would have taken, one after the other.
///
/// \param[out] microseconds  The sum of the predicted times.
/// \returns ANYCCL_SUCCESS; the failure of the first call that was refused, with the time of the others;
///          ANYCCL_ERR_INVALID_USAGE without an estimate. A call on GPU memory, or by another library, was
///          refused with ANYCCL_ERR_UNSUPPORTED.
///
/// The prediction is equal on all ranks that make equal calls. It is close to a measurement with a file that
/// `anyccl perf --tune` has made in such a job (ANYCCL_TUNING_FILE); see docs/measuring.md. Replacement for
/// ncclGroupSimulateEnd.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_estimate_end(microseconds: *mut f64) -> anyccl_status_t {
    edge("anyccl_estimate_end", || {
        // SAFETY: the caller promises NULL or a writable place.
        let place = unsafe { Out::new(microseconds, "microseconds") }?;
        place.set(end_estimate()?);
        batch::close()
    })
}
