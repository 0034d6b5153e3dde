//! What the processes of a job tell their launcher about the NCCL that they got.
//!
//! The launcher (`anyccl run --as nccl`, `anyccl info --nccl-of`) opens a [`Listener`], a socket for
//! datagrams without a place in the file system, and puts its name and a secret into [`VARIABLE`]. Whoever
//! knows something makes a [`Reporter`] of that variable and tells it: `abi/audit` what the loader does,
//! `abi/nccl` that it was called. So it reaches the launcher from any process below it, whatever descriptors
//! were closed on the way; and nobody else can speak, as environments are private to a user.
//!
//! A crate of its own, without dependencies: `abi/audit` is loaded into every program of a job.

mod listener;
mod report;
mod reporter;

pub use listener::Listener;
pub use report::{NcclEvent, Report};
pub use reporter::Reporter;

/// Where a process finds its launcher: set by the launcher, for nobody else to set.
pub const VARIABLE: &str = "ANYCCL_LAUNCH_REPORT";
