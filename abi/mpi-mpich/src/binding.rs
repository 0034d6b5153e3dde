//! Functions that MPICH's libraries for Fortran (libmpifort.so.12) and C++ (libmpicxx.so.12) look up in
//! libmpi.so.12 when they are loaded, whether or not the program calls them. [`crate::fortran`] has those
//! that calls need.

use std::ffi::{c_char, c_int, c_void};

use anyccl_mpi::abi::{Abi, Numbers};
use anyccl_mpi::call::{Scope, call};
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
