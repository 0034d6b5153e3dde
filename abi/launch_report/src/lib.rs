//! Launch reports: which NCCL, or which MPI, the processes of a job got, as told to their launcher.
//!
//! The launcher (`anyccl run --as nccl`, `anyccl info --mpi-of`) opens a [`Listener`], a socket for
//! datagrams without a place in the file system, and puts its name and a secret into [`VARIABLE`]. A process
//! makes a [`Reporter`] of that variable: `abi/audit` reports what the loader does, `abi/nccl` and `abi/mpi`
//! that they were called. Reports reach the launcher from any process below it, whatever descriptors were
//! closed on the way. Nobody else can send any, as environments are private to a user.
//!
//! The crate has no dependencies, because `abi/audit` is loaded into every program of a job.

mod listener;
mod report;
mod reporter;

pub use listener::Listener;
pub use report::{Event, Facade, Report};
pub use reporter::{Reporter, VARIABLE};
