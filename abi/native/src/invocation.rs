//! The protocol that all calls that communicate share.
//!
//! An [`Invocation`] has the parts in which calls differ: arguments, checks, and the functions of the engine.
//! The parts in which they agree are written here once: [`run`] makes a call to its end, [`start`] with a
//! request, and [`prepare`] prepares it for many runs. Inside a batch, a call that would block is started and
//! kept until the end of the batch.
//!
//! All three check the arguments first. When an argument is refused, nothing was sent.

use std::sync::Arc;

use anyccl_edge::ObjectRef;
use anyccl_engine::base::{BoxedResult, Result};
use anyccl_engine::comm::{Communicator, Persistent, Work};
use anyccl_engine::p2p::Status;

use crate::batch;
use crate::blocking_limit;
use crate::comm::Comm;
use crate::message_status::StatusPlace;
use crate::request::{anyccl_request_t, hand_out_prepared, hand_out_started};
use crate::status::{anyccl_status_t, edge};

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

    /// Checks the arguments, and gives them as the engine takes them.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, Self::Checked)>;

    /// The whole of the blocking C function `name`. Calls that have a fast path try it first.
    ///
    /// Each C function passes a closure of its own type. So the compiler makes code for each function, and
    /// decides most cases while it compiles.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn run_blocking(name: &str, arguments: impl FnOnce() -> Self) -> anyccl_status_t {
        edge(name, || {
            let arguments = arguments();
            // SAFETY: passed on from our caller.
            unsafe { run(arguments, None) }
        })
    }

    /// Runs the call to its end, and gives the status of a message that was received.
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
    // Used in place: it may have some hundred bytes.
    let (comm, checked) = match &checked {
        Ok(checked) => checked,
        Err(_) => return checked.map(drop),
    };
    if let Some(limit) = blocking_limit::of(&comm.engine) {
        // SAFETY: as above; the caller of a limited call keeps the buffers until the request has ended.
        let work = unsafe { I::start(&comm.engine, checked) }?;
        return limit.end(work, comm.share(), place);
    }
    // SAFETY: as above.
    let status = unsafe { I::run(&comm.engine, checked) }?;
    if let (Some(place), Some(status)) = (place, status) {
        place.set(status.into());
    }
    Ok(())
}

/// Runs a call to its end, not inlined: for functions that have tried the fast path before.
///
/// # Safety
/// See [`Invocation`].
#[inline(never)]
pub unsafe fn run_boxed(invocation: impl Invocation, place: StatusPlace) -> BoxedResult<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(invocation, place) }.map_err(Box::new)
}

/// Starts a call whose end the caller waits for without a request.
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
