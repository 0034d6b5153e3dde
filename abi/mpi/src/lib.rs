//! MPI's objects and semantics on the builtin engine.
//!
//! The doors `mpi-std` and `mpi-mpich` are tables over this crate. Inside, numbers and handles are those of
//! the standard ABI ([`constants`]); a door with another ABI translates its arguments.

pub mod constants;
pub mod error;
