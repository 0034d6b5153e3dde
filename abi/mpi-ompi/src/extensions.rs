//! Functions of Open MPI that are not MPI's.

use std::ffi::c_int;

use crate::open_mpi::Door;

/// Whether every call takes buffers in GPU memory of NVIDIA. It does not: a datatype with holes is refused
/// there, and a program that asks would rely on it.
#[unsafe(no_mangle)]
pub extern "C" fn MPIX_Query_cuda_support() -> c_int {
    0
}

/// Whether calls take buffers in GPU memory of AMD: none does.
#[unsafe(no_mangle)]
pub extern "C" fn MPIX_Query_rocm_support() -> c_int {
    0
}

anyccl_mpi::refused! { Door:
    OMPI_Affinity_str
    MPI_Session_set_info PMPI_Session_set_info
}
