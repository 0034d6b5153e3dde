//! A real MPI, opened at run time: nothing of it is needed to build.
//!
//! There are three binary interfaces. They differ in what a handle is and in the values of constants, not in
//! their functions:
//!
//! ```text
//! libmpi_abi.so.1   the standard of MPI 5.0: handles are pointers, predefined ones small numbers    standard
//! libmpi.so.12      MPICH, Intel MPI, MVAPICH, Cray: handles are ints                               mpich
//! libmpi.so.40      Open MPI 4 and 5: predefined handles are addresses of objects                   open_mpi
//! ```
//!
//! - `constants` has the constants of one of them as data; each interface fills them in a file of its own.
//! - `functions` are the functions, by name, generic over the handle.
//! - `find` decides which library, and which interface it has.
//! - `engine` begins MPI or adopts the one that the program has begun, and ends what it began.
//! - `communicator` makes the calls; `uniform` and `unequal` say how ours become MPI's; `request` is one that
//!   was started.
//! - `operators`: which MPI operator is which of ours; those that MPI does not have are functions that it
//!   calls.
//!
//! Blocking calls are MPI's blocking calls, and wait as MPI does: without our deadlines. That a rank was
//! killed is noticed by the launcher of the MPI job, which ends the job.

mod communicator;
mod constants;
mod engine;
mod find;
mod functions;
pub mod identity;
mod mpich;
mod open_mpi;
mod operators;
mod request;
mod running;
mod standard;
mod unequal;
mod uniform;

pub use find::open;
