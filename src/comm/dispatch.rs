//! Where a call goes: to a device, to another engine, or to the builtin engine.
//!
//! A call is run to its end, started, or prepared to be started many times. All three look at the same things
//! in the same order:
//!
//! 1. A buffer is memory of a device, which the builtin engine serves: the call joins the queue of device
//!    calls ([`super::device`]).
//! 2. Another engine serves the call ([`super::foreign`]). Prepared calls on host memory leave that out.
//! 3. The builtin engine serves the rest ([`super::builtin`]).
//!
//! The doors try a small call on the fast path before.

use std::sync::atomic::Ordering;

use super::call::operation::Operation;
use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::estimate::{self, estimates};
use super::late::Late;
use super::ready::ReadyCall;
use super::request::Request;
use super::{device, foreign};
use crate::base::{BoxedResult, Error, Result};
use crate::p2p::{RecvBuffer, Selector, Status};

impl Communicator {
    /// Runs a call to its end: collectives, lists and messages. With a stream
    /// ([`Communicator::set_stream`]), a call on memory of a device ends for its caller when it is enqueued.
    ///
    /// # Safety
    /// The buffers are valid for what the call reads and writes, for the whole call.
    #[inline]
    pub unsafe fn run<'a>(&self, call: impl Into<CallSpec<'a>>) -> Result<()> {
        match call.into() {
            // SAFETY: passed on from our caller.
            CallSpec::Collective(operation, None) if !self.may_be_foreign() => unsafe {
                self.run_uniform(operation)
            },
            // SAFETY: passed on from our caller.
            call => unsafe { self.run_by_route(&call) },
        }
    }

    /// # Safety
    /// See [`Communicator::run`].
    pub(super) unsafe fn run_by_route(&self, call: &CallSpec) -> Result<()> {
        if self.may_be_foreign() {
            // SAFETY: passed on from our caller.
            if let Some(outcome) = unsafe { device::run(self, call) } {
                return outcome;
            }
            self.check_usable()?;
            // SAFETY: passed on from our caller.
            if let Some(outcome) = unsafe { foreign::run(self, call) } {
                return outcome;
            }
        }
        // SAFETY: passed on from our caller.
        unsafe { self.run_builtin(call) }
    }

    /// Runs a call to its end if it equals a recent one, without repeating the checks of that call. `None`:
    /// nothing was done, and the caller must use [`Communicator::run`]. If another rank is late, `late` ends
    /// the call.
    ///
    /// # Safety
    /// See [`Communicator::run`]. The buffers are not NULL, and overlap only in ways that the call allows.
    // Always inline: every small call does this, and most of it is known at compile time in the caller.
    #[inline(always)]
    pub unsafe fn run_fast_path(
        &self,
        operation: &Operation,
        late: impl FnOnce(Late) -> BoxedResult<()>,
    ) -> Option<BoxedResult<()>> {
        if self.may_be_foreign() || self.finalized.load(Ordering::Relaxed) {
            return None;
        }
        let (key, buffers) = (operation.key(self.rank), operation.buffers());
        // SAFETY: a prepared call touches what the call reads and writes, for which the caller vouches.
        unsafe { self.driver.run_fast_path(self.id, &key, buffers, |call| late(Late { comm: self, call })) }
    }

    /// Starts a call. The layout or the list of the call is not needed after the return. If it fails, nothing
    /// was sent, unless the communicator has failed.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds until the request is complete.
    #[inline]
    pub unsafe fn start<'a>(&self, call: impl Into<CallSpec<'a>>) -> Result<Request> {
        // SAFETY: passed on from our caller.
        unsafe { self.start_by_route(&call.into()) }
    }

    /// # Safety
    /// See [`Communicator::start`].
    pub(super) unsafe fn start_by_route(&self, call: &CallSpec) -> Result<Request> {
        if estimates() {
            return estimate::add(self, call);
        }
        if self.may_be_foreign() {
            // SAFETY: passed on from our caller.
            if let Some(started) = unsafe { device::start(self, call) } {
                return started;
            }
            self.check_usable()?;
            // SAFETY: passed on from our caller.
            if let Some(started) = unsafe { foreign::start(self, call) } {
                return started;
            }
        }
        // SAFETY: passed on from our caller.
        unsafe { self.start_builtin(call) }
    }

    /// Receives a message into memory of a device. With a stream, this returns before the message is there,
    /// so the status describes the message that the receive asks for. `None`: the buffer is host memory.
    ///
    /// # Safety
    /// See [`Communicator::receive`].
    pub(super) unsafe fn receive_on_device(
        &self,
        selector: Selector,
        buffer: RecvBuffer,
    ) -> Option<Result<Status>> {
        // SAFETY: passed on from our caller.
        let started = unsafe { device::start(self, &CallSpec::Receive(selector, buffer)) }?;
        Some(started.and_then(|mut request| {
            if self.devices.queue.stream().is_none() {
                request.wait()?;
                let status = request.status();
                return status.ok_or_else(|| Error::Internal("a receive without a status".into()));
            }
            request.detach();
            let RecvBuffer { datatype, count, .. } = buffer;
            let (source, tag) = (selector.source().unwrap_or(self.rank), selector.tag().unwrap_or(0));
            let bytes = count as usize * datatype.bytes();
            Ok(Status { source, tag, datatype, count, bytes, is_cancelled: false })
        }))
    }

    /// Prepares a call that [`super::Persistent`] starts many times. Local; a layout or list is copied.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds from each start to the end of that run.
    pub(super) unsafe fn prepare(&self, call: &CallSpec) -> Result<ReadyCall> {
        if device::takes(self, call)? {
            return Ok(ReadyCall::Described(call.owned()));
        }
        // SAFETY: passed on from our caller.
        unsafe { self.prepare_builtin(call) }
    }

    /// Whether another engine than the builtin one may serve calls, or a device has their memory.
    #[inline]
    fn may_be_foreign(&self) -> bool {
        self.engines.on_host.is_some() || self.devices.kinds.may_differ()
    }
}
