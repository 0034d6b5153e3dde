//! An engine of others, as one communicator uses it.

use std::sync::Arc;

use super::engine::AttachedEngine;
use super::host::{check_failure, failed};
use super::started_call::ForeignCall;
use crate::backend::Started;
use crate::base::{Error, Result};
use crate::comm::communicator::Communicator;
use crate::comm::request::Request;

/// An engine and the communicator whose calls it makes.
#[derive(Clone, Copy)]
pub(super) struct Usage<'a> {
    pub comm: &'a Communicator,
    pub foreign: &'a AttachedEngine,
}

impl Usage<'_> {
    /// The request of a started call.
    pub fn request(self, started: Box<dyn Started>) -> Request {
        let communicator = self.comm.devices.queue.communicator().cloned().unwrap_or_default();
        let call = ForeignCall::new(started, communicator, Arc::clone(&self.foreign.co_progress));
        Request::foreign(Arc::clone(&self.comm.driver), call)
    }

    /// See [`failed`].
    #[cold]
    pub fn failed(self, error: Error) -> Error {
        failed(self.comm, error)
    }
}

/// Refuses a call if the communicator has failed in whatever engine.
#[inline]
pub(super) fn check(comm: &Communicator) -> Result<()> {
    if comm.driver.has_failures() { check_failure(comm) } else { Ok(()) }
}
