//! The communicator.

use std::time::Duration;

use super::{Operation, Request};
use crate::base::{Rank, Result};
use crate::bootstrap::{Job, UniqueId};
use crate::config::Config;

/// What a caller may set for one communicator.
#[derive(Clone, Debug, Default)]
pub struct CommConfig {
    /// Name in messages; "world" or "comm" when unset.
    pub name: Option<String>,
    /// Deadline of every wait; unset: `ANYCCL_TIMEOUT_MS`. Zero waits for ever.
    pub timeout: Option<Duration>,
}

/// Ranks with a private context.
pub struct Communicator {}

impl Communicator {
    /// Joins the communicator named by `id`. Collective over its `size` ranks; blocks until all have come.
    pub fn create(
        _id: &UniqueId,
        _size: u32,
        _rank: Rank,
        _config: &Config,
        _own: &CommConfig,
    ) -> Result<Communicator> {
        todo!()
    }

    /// Joins the communicator of a job.
    pub fn join(_job: Job, _config: &Config, _own: &CommConfig) -> Result<Communicator> {
        todo!()
    }

    /// My rank.
    pub fn rank(&self) -> Rank {
        todo!()
    }

    /// Number of ranks.
    pub fn size(&self) -> u32 {
        todo!()
    }

    /// My position among the ranks of my host.
    pub fn local_rank(&self) -> u32 {
        todo!()
    }

    /// Number of ranks on my host.
    pub fn local_size(&self) -> u32 {
        todo!()
    }

    /// Runs a call to its end.
    ///
    /// # Safety
    /// The buffers of `operation` are valid for what `operation.call` reads and writes, for the whole call.
    pub unsafe fn run(&self, _operation: &Operation) -> Result<()> {
        todo!()
    }

    /// Starts a call.
    ///
    /// # Safety
    /// As [`Communicator::run`], until the request is complete.
    pub unsafe fn start(&self, _operation: &Operation) -> Result<Request> {
        todo!()
    }

    /// Fails the communicator on all ranks; blocked calls return at once. From any thread.
    pub fn abort(&self, _reason: &str) {
        todo!()
    }

    /// Leaves in good order: collective, waits for the others. After a failure it is local.
    pub fn finalize(&self) -> Result<()> {
        todo!()
    }

    /// Why this communicator can no longer be used, if it cannot.
    pub fn failure(&self) -> Option<crate::base::Error> {
        todo!()
    }
}
