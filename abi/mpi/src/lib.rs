//! MPI's objects and semantics on the builtin engine.
//!
//! The doors `mpi-std` and `mpi-mpich` are tables over this crate. Inside, numbers and handles are those of
//! the standard ABI ([`constants`]). A door with another ABI translates its arguments ([`abi`],
//! [`arguments`]).
//!
//! - [`functions`] has the tables of all functions; [`call`] is the guard around each.
//! - [`comm`], [`group`], [`datatype`] and others hold the objects; [`table`] finds them by their numbers.
//! - [`mod@environment`] initialises and finalizes MPI.

// The lists of arguments are MPI's.
#![allow(clippy::too_many_arguments)]
// All functions are unsafe for the same reason, which `functions` states: pointers of the program are as MPI
// documents them.
#![allow(clippy::missing_safety_doc)]

pub mod abi;
pub mod abi_info;
pub mod arguments;
pub mod attribute;
pub mod call;
pub mod collective;
pub mod comm;
pub mod constants;
pub mod datatype;
pub mod ending;
pub mod environment;
pub mod errhandler;
pub mod error;
pub mod error_codes;
pub mod file;
pub mod fortran;
pub mod functions;
pub mod group;
pub mod handles;
pub mod info;
pub mod jump;
pub mod mark;
pub mod memory;
pub mod op;
pub mod p2p;
pub mod presence;
pub mod request;
pub mod session;
mod start;
mod state;
pub mod status;
pub mod table;
pub mod tool;
pub mod topology;
pub mod types;
pub mod win;
