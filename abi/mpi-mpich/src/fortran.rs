//! Functions of libmpi.so.12 that MPICH's Fortran library (libmpichfort.so.12) and `MPI_DUP_FN` of mpi.h use.

use std::ffi::{c_int, c_void};

use anyccl_mpi::abi::{Abi, Numbers};
use anyccl_mpi::arguments::{CommHandle, DatatypeHandle, Element, RequestHandle, WinHandle};
use anyccl_mpi::attribute::fortran;
use anyccl_mpi::call::{Scope, call};
use anyccl_mpi::request::generalized;

use crate::mpich::Door;

fn comm_of(raw: c_int) -> CommHandle {
    <CommHandle as Element<Door>>::value(raw)
}

fn type_of(raw: c_int) -> DatatypeHandle {
    <DatatypeHandle as Element<Door>>::value(raw)
}

fn win_of(raw: c_int) -> WinHandle {
    <WinHandle as Element<Door>>::value(raw)
}

fn keyval_of(raw: c_int) -> i32 {
    Door::number(Numbers::Keyval, raw)
}

/// The key of an attribute of a communicator. The predefined ones are odd in C, and larger by one in Fortran.
fn comm_keyval_of(raw: c_int) -> i32 {
    let is_predefined = raw & !0xff == 0x6440_0000;
    keyval_of(if is_predefined { (raw - 1) | 1 } else { raw })
}

/// The key of an attribute of a window, likewise.
fn win_keyval_of(raw: c_int) -> i32 {
    let is_predefined = raw & !0xff == 0x6600_0000;
    keyval_of(if is_predefined { (raw - 1) | 1 } else { raw })
}

/// `MPI_DUP_FN`: the value is copied as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIR_Dup_fn(
    _comm: c_int,
    _keyval: c_int,
    _extra: *mut c_void,
    value: *mut c_void,
    new: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: a copy function gets a place for a pointer.
    unsafe { new.cast::<*mut c_void>().write(value) };
    // SAFETY: a copy function gets a place for a flag.
    unsafe { flag.write(1) };
    0
}

/// Sets an attribute. `form` is the type of the value: 0 is a pointer, 1 an integer of the size of a pointer,
/// 3 an int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Comm_set_attr(
    comm: c_int,
    keyval: c_int,
    value: *mut c_void,
    form: c_int,
) -> c_int {
    let comm = comm_of(comm);
    call::<Door>("MPI_Comm_set_attr", Scope::Comm(comm.0), || {
        fortran::comm_set(comm, comm_keyval_of(keyval), value, form)
    })
}

/// Reads an attribute in the form that [`MPII_Comm_set_attr`] explains. In each form, `place` has the size of
/// a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Comm_get_attr(
    comm: c_int,
    keyval: c_int,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> c_int {
    let comm = comm_of(comm);
    call::<Door>("MPI_Comm_get_attr", Scope::Comm(comm.0), || {
        // SAFETY: the binding passes places for both.
        unsafe { fortran::comm_get::<Door>(comm, comm_keyval_of(keyval), place, flag, form) }
    })
}

/// Sets an attribute of a datatype. See [`MPII_Comm_set_attr`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Type_set_attr(
    datatype: c_int,
    keyval: c_int,
    value: *mut c_void,
    form: c_int,
) -> c_int {
    call::<Door>("MPI_Type_set_attr", Scope::Process, || {
        fortran::type_set(type_of(datatype), keyval_of(keyval), value, form)
    })
}

/// Reads an attribute of a datatype. See [`MPII_Comm_get_attr`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Type_get_attr(
    datatype: c_int,
    keyval: c_int,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> c_int {
    call::<Door>("MPI_Type_get_attr", Scope::Process, || {
        // SAFETY: the binding passes places for both.
        unsafe { fortran::type_get(type_of(datatype), keyval_of(keyval), place, flag, form) }
    })
}

/// Sets an attribute of a window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Win_set_attr(
    win: c_int,
    keyval: c_int,
    value: *mut c_void,
    form: c_int,
) -> c_int {
    call::<Door>("MPI_Win_set_attr", Scope::Process, || {
        fortran::win_set(win_of(win), win_keyval_of(keyval), value, form)
    })
}

/// Gets an attribute of a window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Win_get_attr(
    win: c_int,
    keyval: c_int,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> c_int {
    call::<Door>("MPI_Win_get_attr", Scope::Process, || {
        // SAFETY: the binding passes places for both.
        unsafe { fortran::win_get::<Door>(win_of(win), win_keyval_of(keyval), place, flag, form) }
    })
}

/// Sets the proxies of a key. They are functions of the binding that call the copy function and the delete
/// function of the key, which are written in Fortran.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Keyval_set_proxy(keyval: c_int, copy: usize, delete: usize) {
    // This function returns no code, so a failure only goes to the error handler of the process.
    call::<Door>("MPI_Comm_create_keyval", Scope::Process, || {
        fortran::set_proxies::<Door>(keyval_of(keyval), copy, delete)
    });
}

/// Declares that the callbacks of a generalized request are written in Fortran.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPII_Grequest_set_lang_f77(request: c_int) {
    // This function returns no code, so a failure only goes to the error handler of the process.
    call::<Door>("MPI_Grequest_start", Scope::Process, || {
        generalized::set_in_fortran::<Door>(<RequestHandle as Element<Door>>::value(request))
    });
}
