//! The one protocol of all calls that communicate.
//!
//! What such a call is made of differs: arguments, checks, and the functions of the engine. An [`Invocation`]
//! says these. How it is made does not, and is written once here: to its end ([`run`]), with a request
//! ([`start`]), or prepared for many runs ([`prepare`]). Inside of a batch, a call that would wait is
//! started, and kept for the batch's end.
//!
//! All three promise C the same: arguments are checked first, and nothing was sent when one is refused.

use std::sync::Arc;

use anyccl_edge::ObjectRef;
use anyccl_engine::base::{BoxedResult, Result};
use anyccl_engine::comm::{Communicator, Persistent, Work};
use anyccl_engine::p2p::Status;

use crate::batch;
use crate::comm::Comm;
use crate::message_status::StatusPlace;
use crate::request::{anyccl_request_t, hand_out_prepared, hand_out_started};

/// The arguments of a call as they came from C.
///
/// # Safety of its functions
/// The caller promises what the documentation of the C function says. Arrays have the stated lengths, and
/// nobody changes them during the call. Buffers have the stated lengths, and are used as documented until the
/// operation, or each run of what was prepared, has ended. `checked` comes from [`Invocation::check`] of the
/// communicator whose `engine` is given.
pub trait Invocation: Sized {
    /// The arguments as the engine takes them.
    type Checked;

    /// Says what is wrong with the arguments, or gives what the engine takes.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, Self::Checked)>;

    /// Runs the call to its end; tells what is known of a message that was received.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn run(engine: &Communicator, checked: &Self::Checked) -> Result<Option<Status>>;

    /// Starts the call.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn start(engine: &Communicator, checked: &Self::Checked) -> Result<Work>;

    /// Prepares the call.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn prepare(engine: Arc<Communicator>, checked: Self::Checked) -> Result<Persistent>;
}

/// Runs a call to its end: now, or inside of a batch at its end. The status of a received message goes to
/// `place`.
///
/// # Safety
/// See [`Invocation`].
pub unsafe fn run<I: Invocation>(invocation: I, place: StatusPlace) -> Result<()> {
    if batch::is_open() {
        // SAFETY: the same promise holds until the end of the batch.
        return batch::run(place, || unsafe { begin(invocation) });
    }
    // SAFETY: passed on from our caller.
    let checked = unsafe { invocation.check() };
    // Used where it is: it may be some hundred bytes.
    let (comm, checked) = match &checked {
        Ok(checked) => checked,
        Err(_) => return checked.map(drop),
    };
    // SAFETY: as above.
    let status = unsafe { I::run(&comm.engine, checked) }?;
    if let (Some(place), Some(status)) = (place, status) {
        place.set(status.into());
    }
    Ok(())
}

/// Runs a call to its end, out of line: for the functions that have tried the fast path before.
///
/// # Safety
/// See [`Invocation`].
#[inline(never)]
pub unsafe fn run_boxed(invocation: impl Invocation, place: StatusPlace) -> BoxedResult<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(invocation, place) }.map_err(Box::new)
}

/// Starts a call: for whoever waits for it by other means than a request.
///
/// # Safety
/// See [`Invocation`].
pub unsafe fn begin<I: Invocation>(invocation: I) -> Result<batch::Started> {
    // SAFETY: passed on from our caller.
    let (comm, checked) = unsafe { invocation.check() }?;
    // SAFETY: as above.
    let started = unsafe { I::start(&comm.engine, &checked) }?;
    Ok((started, comm.share()))
}

/// Starts a call and gives C a request.
///
/// # Safety
/// See [`Invocation`]; and `request` is NULL or writable.
pub unsafe fn start(invocation: impl Invocation, request: *mut anyccl_request_t) -> Result<()> {
    // SAFETY: passed on from our caller.
    let start = || unsafe { begin(invocation) };
    // SAFETY: passed on from our caller.
    unsafe { hand_out_started(request, start) }
}

/// Prepares a call and gives C a persistent request.
///
/// # Safety
/// See [`Invocation`]; and `request` is NULL or writable.
pub unsafe fn prepare<I: Invocation>(invocation: I, request: *mut anyccl_request_t) -> Result<()> {
    let prepare = || {
        // SAFETY: passed on from our caller.
        let (comm, checked) = unsafe { invocation.check() }?;
        // SAFETY: as above.
        let prepared = unsafe { I::prepare(Arc::clone(&comm.engine), checked) }?;
        Ok((prepared, comm.share()))
    };
    // SAFETY: passed on from our caller.
    unsafe { hand_out_prepared(request, prepare) }
}
