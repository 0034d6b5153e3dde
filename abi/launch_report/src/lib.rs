//! Launch reports: which NCCL the processes of a job got, as told to their launcher.
//!
//! The launcher (`anyccl run --as nccl`, `anyccl info --nccl-of`) opens a [`Listener`], a socket for
//! datagrams without a place in the file system, and puts its name and a secret into [`VARIABLE`]. A process
//! makes a [`Reporter`] of that variable: `abi/audit` reports what the loader does, `abi/nccl` that it was
//! called. Reports reach the launcher from any process below it, whatever descriptors were closed on the way.
//! Nobody else can send any, as environments are private to a user.
//!
//! The crate has no dependencies, because `abi/audit` is loaded into every program of a job.

mod listener;
mod report;
mod reporter;

pub use listener::Listener;
pub use report::{NcclEvent, Report};
pub use reporter::{Reporter, VARIABLE};
