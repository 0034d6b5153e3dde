//! Operations that are prepared once and started often.
//!
//! A start does not repeat reading and checking arguments, choosing an algorithm, and finding or compiling
//! its plan. It still notes the call for the other ranks, so a start takes part in the order of calls like
//! any other call.
//!
//! With buffers in memory of a device, only the checks are not repeated. They are made on copies, so the
//! page-locked pool has room for the call from then on. Each start is a call of its own, in the order of the
//! stream that the communicator has by then.

use std::sync::Arc;

use super::Communicator;
use super::call::spec::CallSpec;
use super::messages::outgoing;
use super::ready::ReadyCall;
use super::request::Request;
use crate::base::{Error, Rank, Result};
use crate::p2p::{Noncontiguous, Selector, Status, Tag};

/// An operation that can be started again and again, one run at a time. Dropping it waits for the run under
/// way.
pub struct Persistent {
    comm: Arc<Communicator>,
    // Dropped first: dropping a run waits for it, and it may use memory of the call until then.
    running: Option<Request>,
    call: ReadyCall,
    /// Status of the message of the last run.
    status: Option<Status>,
}

impl Persistent {
    /// Prepares a call. Local; a layout or list is not needed after the return. Small buffers of a list are
    /// packed at each start.
    ///
    /// # Safety
    /// See [`Communicator::start`]; the promise holds from each start to the end of that run.
    pub unsafe fn new<'a>(comm: Arc<Communicator>, call: impl Into<CallSpec<'a>>) -> Result<Persistent> {
        // SAFETY: passed on from our caller.
        let ready = unsafe { comm.prepare(&call.into()) }?;
        Persistent::of(comm, ready)
    }

    /// Prepares a send of noncontiguous memory. Local.
    ///
    /// # Safety
    /// See [`Communicator::start_send_noncontiguous`]; the promise holds from each start to the end of
    /// that run.
    pub unsafe fn send_noncontiguous(
        comm: Arc<Communicator>,
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Persistent> {
        comm.check_outgoing(&outgoing(to, tag, is_synchronous, &*memory))?;
        Persistent::of(comm, ReadyCall::SendNoncontiguous { to, tag, is_synchronous, memory })
    }

    /// Prepares a receive into noncontiguous memory. Local.
    ///
    /// # Safety
    /// See [`Communicator::start_receive_noncontiguous`]; the promise holds from each start to the end of
    /// that run.
    pub unsafe fn receive_noncontiguous(
        comm: Arc<Communicator>,
        selector: Selector,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Persistent> {
        comm.check_incoming(selector)?;
        Persistent::of(comm, ReadyCall::ReceiveNoncontiguous(selector, memory))
    }

    fn of(comm: Arc<Communicator>, call: ReadyCall) -> Result<Persistent> {
        comm.check_usable()?;
        Ok(Persistent { comm, call, running: None, status: None })
    }

    /// Starts a run. It is an error while a run is under way, which is until a wait or a test has seen its
    /// end.
    pub fn start(&mut self) -> Result<()> {
        self.check_startable()?;
        self.comm.check_usable()?;
        self.status = None;
        // SAFETY: the promise of the constructor; nothing is under way, and `running` is dropped first.
        self.running = Some(unsafe { self.call.start(&self.comm) }?);
        Ok(())
    }

    /// Checks whether `start` would be accepted.
    pub fn check_startable(&self) -> Result<()> {
        if self.is_running() {
            let text = "the operation is still running: wait for it before starting it again or freeing it";
            return Err(Error::InvalidUsage(text.into()));
        }
        Ok(())
    }

    /// Whether a run is under way: neither a wait nor a test has seen its end.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Waits for the end of the run. Returns at once if no run is under way.
    pub fn wait(&mut self) -> Result<()> {
        match self.running.take() {
            None => Ok(()),
            Some(mut request) => {
                let outcome = request.wait();
                self.status = request.status();
                outcome
            }
        }
    }

    /// Whether the run has ended, or none is under way. `wait` returns its outcome.
    pub fn has_ended(&mut self) -> bool {
        match &mut self.running {
            None => true,
            Some(request) => !matches!(request.test(), Ok(false)),
        }
    }

    /// Status of the message of the last run, if it has ended without an error.
    pub fn status(&self) -> Option<Status> {
        self.status
    }

    /// The request to wait for next, if a run is under way.
    pub(super) fn running(&self) -> Option<&Request> {
        self.running.as_ref()
    }
}
