//! Functions of C for Fortran bindings, in an ABI whose C interface is made for them: statuses as arrays of
//! integers, which have the same bytes in both languages.

use std::ffi::c_void;

use crate::abi::Abi;
use crate::error::{Class, Error, Result};

/// `MPI_Status_c2f`.
pub unsafe fn status_to_fortran<A: Abi>(c_status: *const c_void, f_status: *mut c_void) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { copy::<A>(c_status, f_status) }
}

/// `MPI_Status_f2c`.
pub unsafe fn status_from_fortran<A: Abi>(f_status: *const c_void, c_status: *mut c_void) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { copy::<A>(f_status, c_status) }
}

/// # Safety
/// Both are NULL, the address that stands for no status, or statuses.
unsafe fn copy<A: Abi>(from: *const c_void, to: *mut c_void) -> Result<()> {
    let is_none = |place: *const c_void| place.is_null() || A::is_status_ignored(place.cast());
    if is_none(from) || is_none(to) {
        return Err(Error::new(Class::ARG, "MPI_STATUS_IGNORE or NULL is no status to be converted"));
    }
    // SAFETY: promised by the caller; a status is integers.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), size_of::<A::Status>()) };
    Ok(())
}
