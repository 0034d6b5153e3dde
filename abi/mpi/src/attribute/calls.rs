//! MPI's functions on attributes of communicators.

use std::ffi::c_void;

use super::{Keyval, Kind, predefined};
use crate::abi::Abi;
use crate::arguments::{CommHandle, CopyFunction, DeleteFunction, InputOutput, Output};
use crate::comm::Comm;
use crate::constants::KEYVAL_INVALID;
use crate::error::{Class, Error, Result};

/// `MPI_Comm_create_keyval`, `MPI_Keyval_create`.
pub unsafe fn comm_create_keyval(
    copy: CopyFunction,
    delete: DeleteFunction,
    keyval: Output<i32>,
    extra: *mut c_void,
) -> Result<()> {
    keyval.set(Keyval::make(Kind::Comm, copy, delete, extra));
    Ok(())
}

/// `MPI_Comm_free_keyval`, `MPI_Keyval_free`.
pub unsafe fn comm_free_keyval(keyval: InputOutput<i32>) -> Result<()> {
    free_keyval(&keyval, Kind::Comm)
}

/// `MPI_Type_create_keyval`.
pub unsafe fn type_create_keyval(
    copy: CopyFunction,
    delete: DeleteFunction,
    keyval: Output<i32>,
    extra: *mut c_void,
) -> Result<()> {
    keyval.set(Keyval::make(Kind::Datatype, copy, delete, extra));
    Ok(())
}

/// `MPI_Type_free_keyval`.
pub unsafe fn type_free_keyval(keyval: InputOutput<i32>) -> Result<()> {
    free_keyval(&keyval, Kind::Datatype)
}

pub(super) fn free_keyval(keyval: &InputOutput<i32>, kind: Kind) -> Result<()> {
    Keyval::free(keyval.get(), kind)?;
    keyval.set(KEYVAL_INVALID);
    Ok(())
}

/// `MPI_Comm_get_attr`, `MPI_Attr_get`.
pub unsafe fn comm_get<A: Abi>(
    comm: CommHandle,
    keyval: i32,
    value: *mut c_void,
    flag: Output<bool>,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    let found = match predefined::value::<A>(keyval) {
        Ok(found) => found.map(|(_, address)| address.cast()),
        Err(()) => comm.attributes.get(keyval, Kind::Comm)?,
    };
    flag.set(found.is_some());
    // SAFETY: the program passes the address of a pointer.
    unsafe { put_value(value, found) }
}

/// Writes the value that `MPI_Comm_get_attr` or `MPI_Type_get_attr` has found.
///
/// # Safety
/// `place` is NULL, or a pointer may be written there.
pub unsafe fn put_value(place: *mut c_void, found: Option<*mut c_void>) -> Result<()> {
    let Some(found) = found else { return Ok(()) };
    if place.is_null() {
        return Err(Error::new(Class::ARG, "attribute_val is NULL"));
    }
    // SAFETY: promised by the caller.
    unsafe { place.cast::<*mut c_void>().write(found) };
    Ok(())
}

/// `MPI_Comm_set_attr`, `MPI_Attr_put`.
pub unsafe fn comm_set(comm: CommHandle, keyval: i32, value: *mut c_void) -> Result<()> {
    // Shared: a delete function may free the communicator.
    let comm = Comm::from_handle(comm)?.share();
    comm.attributes.set(comm.id, keyval, Kind::Comm, value)
}

/// `MPI_Comm_delete_attr`, `MPI_Attr_delete`.
pub unsafe fn comm_delete(comm: CommHandle, keyval: i32) -> Result<()> {
    let comm = Comm::from_handle(comm)?.share();
    comm.attributes.delete(comm.id, keyval, Kind::Comm)
}
