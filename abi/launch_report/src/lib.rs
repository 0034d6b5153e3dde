//! Launch reports: processes of a job report to their launcher which NCCL or MPI they got.
//!
//! The launcher (`anyccl run --as nccl`, `anyccl info --mpi-of`) opens a [`Listener`], a socket for datagrams
//! without a name in the file system. It puts the socket's name and a secret into [`VARIABLE`]. A process
//! makes a [`Reporter`] from that variable. `abi/audit` reports events of the loader, `abi/nccl` and
//! `abi/mpi` that they were called. Reports reach the launcher from any process below it, even if descriptors
//! were closed on the way. No other user can send reports, because environments are private to a user.
//!
//! The crate has no dependencies, because `abi/audit` is loaded into every program of a job.

#[cfg(test)]
mod foreign_bytes;
// Reports need a part of it.
#[cfg(test)]
#[allow(dead_code)]
#[path = "../../../src/foreign_bytes/harness/mod.rs"]
mod harness;
mod listener;
mod report;
mod reporter;

pub use listener::Listener;
pub use report::{Event, Facade, Report};
pub use reporter::{Reporter, VARIABLE};
