//! Questions that MPItrampoline passes on and that are not MPI's.

use std::ffi::c_int;

/// Whether every call takes buffers in GPU memory of NVIDIA. It does not: a datatype with holes is refused
/// there, and a program that asks would rely on it.
#[unsafe(no_mangle)]
pub extern "C" fn MPIXABI_Query_cuda_support() -> c_int {
    0
}

/// Whether calls take buffers in GPU memory of AMD: none does.
#[unsafe(no_mangle)]
pub extern "C" fn MPIXABI_Query_hip_support() -> c_int {
    0
}

/// Whether calls take buffers in GPU memory of Intel: none does.
#[unsafe(no_mangle)]
pub extern "C" fn MPIXABI_Query_ze_support() -> c_int {
    0
}
