//! PMI-1, the wire protocol by which MPI processes talk to their process manager.
//!
//! Rank 0 puts a beacon into the process manager's key-value space, a barrier makes it visible, and the
//! others get it. Everything else goes through our own store. Hydra (the mpiexec of MPICH and Intel MPI),
//! gforker, and Slurm with `--mpi=pmi2` speak it.
//!
//! The program may use MPI as well, and MPI speaks on the same inherited connection. So the connection is
//! used during the set-up only, one whole exchange at a time. The process manager then answers MPI's own
//! greeting as if nobody had spoken before. *finalize* must be said exactly once, else mpiexec takes the
//! process's end for a crash: `session` ensures that.
//!
//! Once MPI has been initialised the connection belongs to it and is not touched. Ranks of one host then meet
//! in a private folder named after the process manager; those on several hosts get an error that says what to
//! do.

pub(in crate::bootstrap) mod access;
mod connection;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::bootstrap) mod foreign_bytes;
mod kvs;
mod message;
pub(in crate::bootstrap) mod session;
