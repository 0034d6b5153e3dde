//! A rank that serves the store of its job, or looks for it.

use std::net::SocketAddr;
use std::time::Instant;

use crate::base::Result;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::store::file::published::PublishedFile;
use crate::bootstrap::store::lookup::{Lookup, join};
use crate::bootstrap::store::serve::serve;
use crate::bootstrap::store::tcp::client::Client;
use crate::config::Config;
use crate::sys::listener::Listener;

/// The job's key and its store.
pub(crate) type KeyAndStore = (JobKey, Client);

/// A rank that knows its seat, and serves or looks for the store.
pub(crate) struct Discovery<'a> {
    pub seat: Seat,
    /// `ANYCCL_JOB_KEY`.
    pub given: Option<JobKey>,
    pub config: &'a Config,
    pub deadline: Instant,
}

impl Discovery<'_> {
    /// The key that was given, else a derived one.
    pub(super) fn key_or(&self, derived: impl FnOnce() -> JobKey) -> JobKey {
        self.given.clone().unwrap_or_else(derived)
    }

    /// Rank 0's part. `publish` says to the other ranks at which addresses the store is served.
    pub(super) fn serve(
        &self,
        key: JobKey,
        listeners: Vec<Listener>,
        publish: impl FnOnce(&[SocketAddr]) -> Result<Option<PublishedFile>>,
    ) -> Result<KeyAndStore> {
        let store = serve(listeners, &key, self.seat, self.deadline, publish)?;
        Ok((key, store))
    }

    /// The part of the other ranks.
    pub(super) fn find(&self, lookup: &mut dyn Lookup) -> Result<KeyAndStore> {
        join(lookup, self.seat, self.deadline)
    }
}
