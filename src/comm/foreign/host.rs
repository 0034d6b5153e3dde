//! What the calls of other engines need of their communicator.
//!
//! Watches and started calls outlive the call that made them, and fail the communicator on which they were
//! made. They know it as an [`EngineHost`], so a communicator can own them without a circle.

use crate::backend::{BackendName, ForeignComm};
use crate::base::{Error, Result};

/// The communicator of an engine of others.
pub(in crate::comm) trait EngineHost: Send + Sync {
    /// Makes progress in the builtin engine, which notices lost ranks, and aborts by other ranks.
    fn try_move_on(&self);

    /// Whether the communicator has failed.
    fn has_failed(&self) -> bool;

    /// Why the communicator has failed, for the program, to which the end does not report it again.
    fn report_failure(&self) -> Option<Error>;

    /// Lets the end of the communicator, which has failed, report the failure: it has ended calls on streams.
    fn note_ended_streams(&self);

    /// Fails the communicator on all ranks, because of what this rank has found.
    fn fail(&self, error: Error);

    /// Fails the communicator on all ranks, because an engine has failed.
    fn abort(&self, reason: &str);

    /// Ends the calls of all engines: the communicator has failed.
    fn stop_engines(&self);

    /// The engine that serves memory of devices, if it has been made.
    fn engine_of_devices(&self) -> Option<(BackendName, &dyn ForeignComm)>;
}

/// Refuses a call if the communicator has failed in whatever engine.
#[cold]
pub(super) fn check_failure(host: &dyn EngineHost) -> Result<()> {
    host.report_failure().map_or(Ok(()), |failure| {
        host.stop_engines();
        Err(failure)
    })
}

/// Fails the communicator on all ranks, because an engine has failed. Returns why: the engine may only follow
/// a failure that came first.
#[cold]
pub(super) fn failed(host: &dyn EngineHost, error: Error) -> Error {
    let first = host.report_failure();
    match (&first, &error) {
        (Some(_), _) => host.stop_engines(),
        (None, Error::Timeout { .. }) => host.fail(error.clone()),
        (None, _) => host.abort(&error.to_string()),
    }
    first.unwrap_or(error)
}
