//! Handles in Fortran, for `MPI_Comm_c2f` and the others. A predefined object has the number that Fortran
//! programs were compiled with; an object of the program has its own number.

use std::ffi::c_int;

use anyccl_mpi::abi::{Abi, Object};

use crate::objects::{by_address, by_fortran};
use crate::open_mpi::{Door, FIRST_MADE};

/// What the conversion of an unknown handle gives, as in Open MPI.
const UNKNOWN: c_int = -1;

/// The number of a handle.
pub fn to_fortran(object: Object, handle: usize) -> c_int {
    match by_address(object, handle) {
        Some(row) => row.fortran,
        None => match Door::id(object, handle) {
            number @ FIRST_MADE..0x8000_0000 => number.cast_signed(),
            _ => UNKNOWN,
        },
    }
}

/// The handle of a number. NULL stands for a number that is no object's.
pub fn from_fortran(object: Object, number: c_int) -> usize {
    match by_fortran(object, number) {
        Some(row) => row.handle(),
        None if number >= FIRST_MADE.cast_signed() => Door::handle(object, number.cast_unsigned()),
        None => 0,
    }
}
