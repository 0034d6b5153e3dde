//! Discovery: rank 0 serves a store, and the other ranks, which know their seats already, find it.
//!
//! There is one file for each way of finding it.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::base::Result;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::store::backoff::Backoff;
use crate::bootstrap::store::file::PublishedFile;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::served::{ServedStore, listen_at};
use crate::bootstrap::store::tcp::client::Applicant;
use crate::config::Config;
use crate::sys::clock;
use crate::sys::listener::Listener;

/// How long rank 0 waits for its port to become free.
const PORT_PATIENCE: Duration = Duration::from_millis(500);

/// The job's key and its store.
pub(crate) type KeyAndStore = (JobKey, Box<dyn Store>);

/// A rank that serves or looks for the store.
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

    pub(super) fn applicant<'k>(&self, key: &'k JobKey) -> Applicant<'k> {
        Applicant { key, rank: self.seat.rank, size: self.seat.size }
    }

    pub(super) fn serve(
        &self,
        key: &JobKey,
        listeners: Vec<Listener>,
        publish: impl FnOnce(&[SocketAddr]) -> Result<Option<PublishedFile>>,
    ) -> Result<ServedStore> {
        ServedStore::start(listeners, key, self.seat.size, self.deadline, publish)
    }
}

/// Listens at the port, and waits a moment if it is taken. The store of the job before may still hold it. So
/// may a rank of this host: if it tries to connect before anybody listens, the kernel may choose this very
/// port as the source of its connection.
pub(super) fn listen_when_free(host: &str, port: u16, deadline: Instant) -> io::Result<Vec<Listener>> {
    let (until, mut backoff) = (deadline.min(clock::now() + PORT_PATIENCE), Backoff::new());
    loop {
        match listen_at(host, port) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && backoff.sleep(until) => {}
            result => return result,
        }
    }
}
