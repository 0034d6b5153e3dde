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
    MPIX_Comm_revoke PMPIX_Comm_revoke
    MPIX_Comm_is_revoked PMPIX_Comm_is_revoked
    MPIX_Comm_shrink PMPIX_Comm_shrink
    MPIX_Comm_agree PMPIX_Comm_agree
    MPIX_Comm_iagree PMPIX_Comm_iagree
    MPIX_Comm_failure_ack PMPIX_Comm_failure_ack
    MPIX_Comm_failure_get_acked PMPIX_Comm_failure_get_acked
    MPIX_Comm_ack_failed PMPIX_Comm_ack_failed
    MPIX_Comm_get_failed PMPIX_Comm_get_failed
}
