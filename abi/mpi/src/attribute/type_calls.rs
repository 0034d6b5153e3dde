//! MPI's functions on attributes of datatypes.

use std::ffi::c_void;

use super::Kind;
use super::calls::put_value;
use crate::arguments::{DatatypeHandle, Output};
use crate::error::Result;
use crate::types::with_attributes;

/// `MPI_Type_get_attr`.
pub unsafe fn get(
    datatype: DatatypeHandle,
    keyval: i32,
    value: *mut c_void,
    flag: Output<bool>,
) -> Result<()> {
    let found = with_attributes(datatype, |attributes| attributes.get(keyval, Kind::Datatype))?;
    flag.set(found.is_some());
    // SAFETY: the program passes the address of a pointer.
    unsafe { put_value(value, found) }
}

/// `MPI_Type_set_attr`.
pub unsafe fn set(datatype: DatatypeHandle, keyval: i32, value: *mut c_void) -> Result<()> {
    with_attributes(datatype, |attributes| attributes.set(datatype.0, keyval, Kind::Datatype, value))
}

/// `MPI_Type_delete_attr`.
pub unsafe fn delete(datatype: DatatypeHandle, keyval: i32) -> Result<()> {
    with_attributes(datatype, |attributes| attributes.delete(datatype.0, keyval, Kind::Datatype))
}
