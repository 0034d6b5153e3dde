//! Functions that MPICH's libraries for Fortran (libmpifort.so.12) and C++ (libmpicxx.so.12) look up in
//! libmpi.so.12 when they are loaded, whether or not the program calls them. [`crate::fortran`] has those
//! that calls need.

use std::ffi::{c_char, c_int, c_void};

use anyccl_mpi::abi::{Abi, Numbers};
use anyccl_mpi::call::{Scope, call, refuse};
use anyccl_mpi::error::{Class, Error};

use crate::fortran::MPII_Comm_get_attr;
use crate::mpich::Door;

/// [`MPII_Comm_get_attr`] under the name that MPICH 3 calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Comm_get_attr_fort(
    comm: c_int,
    keyval: c_int,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> c_int {
    // SAFETY: the arguments and what they have to be are the same.
    unsafe { MPII_Comm_get_attr(comm, keyval, place, flag, form) }
}

/// Makes the code of an error that the binding itself has found: its class. The arguments behind the text are
/// ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIR_Err_create_code(
    _last: c_int,
    _fatal: c_int,
    _function: *const c_char,
    _line: c_int,
    class: c_int,
    _generic: *const c_char,
    _specific: *const c_char,
) -> c_int {
    class
}

/// Passes such an error to the error handler of the process: the communicator is an object of MPICH's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIR_Err_return_comm(
    _comm: *mut c_void,
    _function: *const c_char,
    code: c_int,
) -> c_int {
    call::<Door>("MPI in Fortran", Scope::Process, || {
        let class = Class(Door::number(Numbers::ErrorCode, code));
        Err(Error::new(class, "MPICH's Fortran library refuses the arguments"))
    })
}

/// Refused: operators in C++.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Op_set_cxx(_: c_int, _: usize) {
    // A failure goes to the error handler of the process.
    refuse::<Door>("MPI::Op::Init", Scope::Process);
}

/// Refused: error handlers in C++.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Errhandler_set_cxx(_: c_int, _: usize) {
    // A failure goes to the error handler of the process.
    refuse::<Door>("MPI::Comm::Create_errhandler", Scope::Process);
}

/// Refused: a communicator cannot be revoked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIX_Comm_revoke(_: c_int) -> c_int {
    refuse::<Door>("MPIX_Comm_revoke", Scope::Process)
}

/// Refused: ranks that failed cannot be left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIX_Comm_shrink(_: c_int, _: *mut c_int) -> c_int {
    refuse::<Door>("MPIX_Comm_shrink", Scope::Process)
}

/// Refused: see [`MPIX_Comm_shrink`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIX_Comm_agree(_: c_int, _: *mut c_int) -> c_int {
    refuse::<Door>("MPIX_Comm_agree", Scope::Process)
}

/// Refused: see [`MPIX_Comm_shrink`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIX_Comm_failure_ack(_: c_int) -> c_int {
    refuse::<Door>("MPIX_Comm_failure_ack", Scope::Process)
}

/// Refused: see [`MPIX_Comm_shrink`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIX_Comm_failure_get_acked(_: c_int, _: *mut c_int) -> c_int {
    refuse::<Door>("MPIX_Comm_failure_get_acked", Scope::Process)
}

/// Whether buffers may lie in a GPU's memory: not with this library.
#[unsafe(no_mangle)]
pub extern "C" fn MPIX_Query_cuda_support() -> c_int {
    0
}
