//! The exported functions, from the tables of all chapters, with those that MPI has removed.

use std::ffi::c_int;

use anyccl_mpi::abi::Object;
use anyccl_mpi::arguments::*;

use crate::mpich::Door;

anyccl_mpi::mark!();
anyccl_mpi::chapters!(Door);
anyccl_mpi::handles!(Door);
anyccl_mpi::removed!(Door);
anyccl_mpi::failures!(Door);
anyccl_mpi::conversions!(Door, same, same);

/// A handle is the same integer in C and in Fortran.
fn same(_: Object, handle: c_int) -> c_int {
    handle
}
