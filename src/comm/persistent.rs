//! Operations that are prepared once and started often.
//!
//! What a start does not do again: read and check arguments, choose an algorithm, find or compile its plan. What it still
//! does is to note the call for the other ranks, so a start takes part in the order of calls like any other.

use std::sync::Arc;

use super::operator::{Operator, Variant};
use super::request::Request;
use super::{Communicator, Operation};
use crate::base::{Error, Result};
use crate::p2p::{Landing, Outgoing, Selector, Status};
use crate::progress::{Key, Prepared};

/// An operation that can be started again and again, one run at a time. Dropping it waits for the run under way.
pub struct Persistent {
    comm: Arc<Communicator>,
    task: Task,
    running: Option<Request>,
    /// Of the message of the last run.
    status: Option<Status>,
}

enum Task {
    Collective {
        operation: Operation,
        /// Where it is not builtin.
        operator: Option<Arc<Operator>>,
        key: Key,
        prepared: Arc<Prepared>,
    },
    Send(Outgoing),
    Receive(Selector, Landing),
}

// SAFETY: the pointers are the caller's buffers, which it has promised to leave to each run, on whatever thread that is.
unsafe impl Send for Task {}

impl Persistent {
    /// Prepares a collective. Local.
    ///
    /// # Safety
    /// As [`Communicator::start`], from each start to the end of that run.
    pub unsafe fn new(
        comm: Arc<Communicator>,
        operation: Operation,
        operator: Option<Arc<Operator>>,
    ) -> Result<Persistent> {
        let mut variant = Variant::default();
        if let Some(operator) = &operator {
            operator.check(&operation.call)?;
            variant.callback = operator.callback_on(operation.call.datatype);
        }
        let (key, prepared) = comm.prepare(&operation, &variant)?;
        Persistent::of(comm, Task::Collective { operation, operator, key, prepared })
    }

    /// Prepares a send. Local.
    ///
    /// # Safety
    /// As [`Communicator::start_send`], from each start to the end of that run.
    pub unsafe fn send(comm: Arc<Communicator>, what: Outgoing) -> Result<Persistent> {
        Persistent::of(comm, Task::Send(what))
    }

    /// Prepares a receive. Local.
    ///
    /// # Safety
    /// As [`Communicator::start_receive`], from each start to the end of that run.
    pub unsafe fn receive(
        comm: Arc<Communicator>,
        selector: Selector,
        landing: Landing,
    ) -> Result<Persistent> {
        Persistent::of(comm, Task::Receive(selector, landing))
    }

    fn of(comm: Arc<Communicator>, task: Task) -> Result<Persistent> {
        comm.check_usable()?;
        Ok(Persistent { comm, task, running: None, status: None })
    }

    /// Starts a run. An error where one is under way: until a wait or a test has seen its end.
    pub fn start(&mut self) -> Result<()> {
        self.check_startable()?;
        self.comm.check_usable()?;
        self.status = None;
        let started = match &self.task {
            Task::Collective { operation, operator: Some(operator), .. } if operator.scales() => {
                // SAFETY: the promise of `new`.
                unsafe { self.comm.start_by(operation, Some(operator)) }
            }
            Task::Collective { operation, key, prepared, .. } => {
                let prepared = Arc::clone(prepared);
                // SAFETY: the promise of `new`; the key and what was prepared are those of the operation.
                unsafe { self.comm.start_prepared(key, prepared, operation) }
            }
            // SAFETY: the promise of `send`.
            Task::Send(what) => unsafe { self.comm.start_send(what) },
            // SAFETY: the promise of `receive`.
            Task::Receive(selector, landing) => unsafe { self.comm.start_receive(*selector, *landing) },
        };
        self.running = Some(started?);
        Ok(())
    }

    /// Whether `start` would be accepted.
    pub fn check_startable(&self) -> Result<()> {
        if self.is_running() {
            let text = "it is under way: wait for its end before it is started again or freed";
            return Err(Error::InvalidUsage(text.into()));
        }
        Ok(())
    }

    /// Whether a run is under way whose end nobody has seen.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Waits for the end of the run. Where none is under way, that is now.
    pub fn wait(&mut self) -> Result<()> {
        let Some(mut request) = self.running.take() else { return Ok(()) };
        let outcome = request.wait();
        self.status = request.status();
        outcome
    }

    /// Whether the run has ended, or none is under way. Its outcome is left for `wait`.
    pub fn has_ended(&mut self) -> bool {
        self.running.as_mut().is_none_or(|request| !matches!(request.test(), Ok(false)))
    }

    /// What is known of the message of the last run.
    pub fn status(&self) -> Option<Status> {
        self.status
    }

    /// What is under way.
    pub(super) fn running(&self) -> Option<&Request> {
        self.running.as_ref()
    }
}
