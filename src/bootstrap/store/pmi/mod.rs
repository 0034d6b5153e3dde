//! PMI-1, the wire protocol by which MPI processes talk to their process manager.

pub(in crate::bootstrap) mod access;
mod connection;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::bootstrap) mod foreign_bytes;
mod kvs;
mod message;
pub(in crate::bootstrap) mod session;
