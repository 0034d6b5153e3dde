//! Who is in the job, where, and may they come in.
//!
//! 1. [`job_from_id`] or [`job_from_environment`] finds the [`Job`]: rank, size, secret key, store.
//!    Sources in order: explicit unique id; `ANYCCL_*`; torchrun's variables; none (a world of one).
//! 2. `exchange` gathers one record per rank through the store.
//! 3. [`mesh`] connects every pair of ranks with authenticated sockets.
//!
//! Every connection, to a store or between ranks, proves the job key in both directions (`auth`,
//! `handshake`) before a byte of it is interpreted, and comes in through a `gate` that strangers
//! cannot clog. docs/adr/0003-bootstrap-authentication.md says what that protects from.

mod address;
mod auth;
mod dial;
mod doors;
mod environment;
mod exchange;
mod gate;
mod handshake;
mod hello;
pub mod interface;
mod job;
mod key;
mod memory_store;
pub mod mesh;
mod missing;
mod reach;
mod record;
mod rendezvous_file;
mod served_store;
pub mod tcp_store;
mod torchrun;
mod unique_id;
mod wire;

#[cfg(test)]
mod tests;

pub use job::job_from_environment;
pub use key::JobKey;
pub use memory_store::MemoryStore;
pub use mesh::{Mesh, Peer, PeerInfo};
pub use unique_id::{UNIQUE_ID_BYTES, UniqueId, job_from_id};

use std::time::{Duration, Instant};

use crate::base::{Rank, Result};

/// A key/value place that all ranks of a job can reach.
pub trait Store: Send {
    /// Sets `key`, once.
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()>;
    /// Waits until `key` is set, and gives its value.
    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>>;

    /// Tells the others that this rank cannot go on. Best effort; not every store can.
    fn fail(&mut self, _why: &str) {}

    /// An error when another rank is known to have failed or died. Asked now and then while the ranks connect;
    /// a store that does not know says that all is well.
    fn check(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What one rank knows before it has met the others.
pub struct Job {
    /// My rank.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// The job's secret.
    pub key: JobKey,
    /// Where the ranks find each other; `None` in a world of one.
    pub store: Option<Box<dyn Store>>,
    /// Where this was learnt, for `anyccl info` and the log: "unique id", "ANYCCL_RANK", "torchrun", "alone".
    pub source: &'static str,
}

/// How much longer than its ranks a store waits: it knows who is missing, and shall be able to say so.
const SLACK: Duration = Duration::from_secs(1);
