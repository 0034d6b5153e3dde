//! Who is in the job, where, and may they come in.
//!
//! 1. [`job_from_id`] or [`job_from_environment`] finds the [`Job`]: rank, size, secret key, store.
//!    Sources: an explicit unique id, or a store of the caller's; else what `environment` reads: `ANYCCL_*`, the
//!    launchers of `launcher` in their order, none (a world of one). `meeting` has the ways by which ranks
//!    that know their seats find rank 0's store.
//! 2. `exchange` gathers one record per rank through the store.
//! 3. [`mesh`] connects every pair of ranks with authenticated sockets.
//!
//! Every connection, to a store or between ranks, proves the job key in both directions (`auth`,
//! `handshake`) before a byte of it is interpreted, and comes in through a `gate` that strangers
//! cannot clog. docs/adr/0003-bootstrap-authentication.md says what that protects from.

mod absence;
mod address;
mod auth;
mod beacon;
mod caller_store;
mod dial;
mod doors;
mod environment;
mod exchange;
mod file_rendezvous;
mod front_desk;
mod gate;
mod handshake;
mod hello;
mod host_list;
pub mod interface;
mod job;
mod key;
mod launcher;
mod meeting;
mod memory_store;
pub mod mesh;
mod missing;
mod pmi;
mod ports;
mod private_folder;
mod reach;
mod record;
mod rendezvous_file;
mod served_store;
pub mod tcp_store;
mod unique_id;
mod waiting;
mod wire;

#[cfg(test)]
mod tests;

pub use caller_store::{CallerStore, job_from_caller};
pub use file_rendezvous::{Found, LONGEST_MEETING, file_rendezvous};
pub use job::{Job, job_from_address, job_from_environment, source_in_environment};
pub use key::JobKey;
pub use memory_store::MemoryStore;
pub use mesh::{Mesh, Peer, PeerInfo};
pub use unique_id::{UNIQUE_ID_BYTES, UniqueId, job_from_id};

use std::time::{Duration, Instant};

use crate::base::Result;

/// A key/value place that all ranks of a job can reach.
pub trait Store: Send {
    /// Sets `key`, once.
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()>;
    /// Waits until `key` is set, and gives its value.
    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>>;

    /// Tells the others that this rank cannot go on. Best effort; not every store can.
    fn fail(&mut self, _why: &str) {}

    /// An error when another rank is known to have failed or died. Asked now and then while the ranks connect, and not
    /// waited for beyond `deadline`; a store that does not know says that all is well.
    fn check(&mut self, _deadline: Instant) -> Result<()> {
        Ok(())
    }
}

/// Ends what a launcher expects to be ended with the world.
pub fn leave_launcher() {
    pmi::leave();
}

/// How much longer than its ranks a store waits: it knows who is missing, and shall be able to say so.
const SLACK: Duration = Duration::from_secs(1);
