//! Who is in the job, where, and may they come in.
//!
//! 1. [`job`] finds the [`Job`]: rank, size, secret key, store. Sources in order: explicit unique
//!    id; `ANYCCL_*`; torchrun's variables; none (a world of one).
//! 2. [`exchange`] gathers one record per rank through the store.
//! 3. [`mesh`] connects every pair of ranks with authenticated sockets.

pub mod mesh;

pub use mesh::{Mesh, Peer, PeerInfo};

use std::time::Instant;

use crate::base::{Rank, Result};
use crate::config::Config;

/// Secret that every connection of the job proves to know.
#[derive(Clone)]
pub struct JobKey(pub [u8; 32]);

/// A key/value place that all ranks of a job can reach.
pub trait Store: Send {
    /// Sets `key`, once.
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()>;
    /// Waits until `key` is set, and gives its value.
    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>>;
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

/// The 128 bytes that name a communicator to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub [u8; 128]);

impl UniqueId {
    /// Makes a new id and starts serving its store from this process (a thread that ends when every
    /// rank has come, or at the deadline of `config`).
    pub fn create(_config: &Config) -> Result<UniqueId> {
        todo!()
    }
}

/// The job named by a unique id. `size` and `rank` must be checked already (`rank < size`).
pub fn job_from_id(_id: &UniqueId, _size: u32, _rank: Rank, _deadline: Instant) -> Result<Job> {
    todo!()
}

/// The job described by the environment; a world of one when there is none.
pub fn job_from_environment(_config: &Config, _deadline: Instant) -> Result<Job> {
    todo!()
}
