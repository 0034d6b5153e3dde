//! Operations that are prepared once and started often.
//!
//! What a start does not do again: read and check arguments, choose an algorithm, find or compile its plan. What it still
//! does is to note the call for the other ranks, so a start takes part in the order of calls like any other.

use std::sync::Arc;

use super::operator::{Operator, Variant};
use super::request::Request;
use super::{Communicator, Operation};
use crate::base::{Error, Result};
use crate::progress::{Key, Prepared};

/// An operation that can be started again and again, one run at a time. Dropping it waits for the run under way.
pub struct Persistent {
    comm: Arc<Communicator>,
    operation: Operation,
    /// Where its operator is not builtin.
    operator: Option<Arc<Operator>>,
    key: Key,
    prepared: Arc<Prepared>,
    running: Option<Request>,
}

// SAFETY: the pointers are the caller's buffers, which it has promised to leave to each run, on whatever thread that is.
unsafe impl Send for Persistent {}

impl Persistent {
    /// Prepares an operation. Local.
    ///
    /// # Safety
    /// As [`Communicator::start`], from each start to the end of that run.
    pub unsafe fn new(
        comm: Arc<Communicator>,
        operation: Operation,
        operator: Option<Arc<Operator>>,
    ) -> Result<Persistent> {
        comm.check_usable()?;
        let mut variant = Variant::default();
        if let Some(operator) = &operator {
            operator.check(&operation.call)?;
            variant.callback = operator.callback_on(operation.call.datatype);
        }
        let (key, prepared) = comm.prepare(&operation, &variant)?;
        Ok(Persistent { comm, operation, operator, key, prepared, running: None })
    }

    /// Starts a run. An error where one is under way: until a wait or a test has seen its end.
    pub fn start(&mut self) -> Result<()> {
        self.check_startable()?;
        self.comm.check_usable()?;
        let scales = self.operator.as_ref().is_some_and(|operator| operator.scales());
        let started = if scales {
            // SAFETY: the promise of `new`.
            unsafe { self.comm.start_by(&self.operation, self.operator.as_ref()) }
        } else {
            let prepared = Arc::clone(&self.prepared);
            // SAFETY: the promise of `new`; the key and what was prepared are those of the operation.
            unsafe { self.comm.start_prepared(&self.key, prepared, &self.operation) }
        };
        self.running = Some(started?);
        Ok(())
    }

    /// Whether `start` would be accepted.
    pub fn check_startable(&self) -> Result<()> {
        if self.is_running() {
            return Err(Error::InvalidUsage(format!(
                "{} is under way: wait for it before it is started again",
                self.operation.call
            )));
        }
        Ok(())
    }

    /// Whether a run is under way whose end nobody has seen.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Waits for the end of the run. Where none is under way, that is now.
    pub fn wait(&mut self) -> Result<()> {
        self.running.take().map_or(Ok(()), |mut request| request.wait())
    }

    /// Whether the run has ended, or none is under way. Its outcome is left for `wait`.
    pub fn has_ended(&mut self) -> bool {
        self.running.as_mut().is_none_or(|request| !matches!(request.test(), Ok(false)))
    }

    /// What is under way.
    pub(super) fn running(&self) -> Option<&Request> {
        self.running.as_ref()
    }
}
