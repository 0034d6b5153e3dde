//! A real MPI, opened at run time: building needs nothing of it.
//!
//! There are three binary interfaces. They have the same functions, but differ in the type of a handle and in
//! the values of constants:
//!
//! ```text
//! libmpi_abi.so.1   the standard of MPI 5.0: handles are pointers, predefined ones small numbers    standard
//! libmpi.so.12      MPICH, Intel MPI, MVAPICH, Cray: handles are ints                               mpich
//! libmpi.so.40      Open MPI 4 and 5: predefined handles are addresses of objects                   open_mpi
//! ```
//!
//! - `constants` has the constants of one interface as data; each interface fills them in a file of its own.
//! - `functions` finds the functions by name. It is generic over the handle.
//! - `find` chooses a library and determines its interface.
//! - `engine` initialises MPI, or adopts the one that the program has initialised. It finalizes what it
//!   initialised.
//! - `communicator` is MPI's for our ranks, and `foreign_comm` makes the calls. `uniform` and `unequal`
//!   translate our calls to MPI's; `request` is a started call.
//! - `operators` maps our operators to MPI's. Those that MPI lacks are functions of ours that MPI calls.
//!
//! Blocking calls are MPI's blocking calls. They wait as MPI does, without our deadlines. When a rank is
//! killed, the launcher of the MPI job notices it and ends the job.

mod communicator;
mod constants;
mod engine;
mod find;
mod foreign_comm;
mod functions;
pub mod identity;
mod invoke;
mod mpich;
mod open_mpi;
mod operators;
mod request;
mod running;
mod standard;
mod unequal;
mod uniform;

#[cfg(test)]
pub(crate) use engine::{end, hold};
pub use find::open;
