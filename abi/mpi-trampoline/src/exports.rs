//! The functions of all chapters, with those that MPI has removed, under MPI's own names.

use std::ffi::c_int;

use anyccl_mpi::abi::{Abi, Object};
use anyccl_mpi::arguments::*;

use crate::trampoline::Door;

anyccl_mpi::mark!();
anyccl_mpi::chapters!(Door);
anyccl_mpi::removed!(Door);
anyccl_mpi::conversions!(Door, to_fortran, from_fortran);

fn to_fortran(object: Object, handle: usize) -> c_int {
    Door::integer(object, Door::id(object, handle))
}

fn from_fortran(object: Object, number: c_int) -> usize {
    Door::handle(object, Door::of_integer(object, number))
}
