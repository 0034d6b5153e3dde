//! MPI for Fortran: the same tables as for C, expanded once more.
//!
//! [`InFortran`] says what an ABI has for Fortran: the integers that stand for objects, and the addresses
//! that have a meaning. [`Fortran`] makes a second ABI of it, in which every handle is an INTEGER. Statuses
//! and callbacks then have the form that Fortran gives them. Every argument is an address, which [`Argument`]
//! translates: numbers lie behind it, and strings end with blanks. [`calls`] has what differs further:
//! attributes, the start, and what MPI 1 declared with INTEGERs.
//!
//! [`crate::fortran_row`] makes a function from a row. Its names are in lists of the doors
//! ([`crate::fortran_names`]), because compilers spell names differently.

pub mod argument;
pub mod calls;
mod door;
mod keys;
mod row;
pub mod statuses;
pub mod text;

pub use argument::Argument;
pub use door::{Fortran, InFortran, Packed, Sentinels};
pub use text::TextArgument;
