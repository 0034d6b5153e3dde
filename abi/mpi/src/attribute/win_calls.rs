//! MPI's functions on attributes of windows.

use std::ffi::c_void;

use super::calls::{free_keyval, put_value};
use super::{Keyval, Kind};
use crate::abi::Abi;
use crate::arguments::{CopyFunction, DeleteFunction, InputOutput, Output, WinHandle};
use crate::error::Result;
use crate::win::Win;

/// `MPI_Win_create_keyval`. Windows are not duplicated, so the copy function is never called.
pub unsafe fn create_keyval(
    copy: CopyFunction,
    delete: DeleteFunction,
    keyval: Output<i32>,
    extra: *mut c_void,
) -> Result<()> {
    keyval.set(Keyval::make(Kind::Win, copy, delete, extra));
    Ok(())
}

/// `MPI_Win_free_keyval`.
pub unsafe fn free(keyval: InputOutput<i32>) -> Result<()> {
    free_keyval(&keyval, Kind::Win)
}

/// `MPI_Win_get_attr`.
pub unsafe fn get<A: Abi>(win: WinHandle, keyval: i32, value: *mut c_void, flag: Output<bool>) -> Result<()> {
    let win = Win::from_handle(win)?;
    let found = match win.predefined::<A>(keyval) {
        Some(address) => Some(address),
        None => win.attributes.get(keyval, Kind::Win).map_err(|error| error.on_win(win.id))?,
    };
    flag.set(found.is_some());
    // SAFETY: the program passes the address of a pointer.
    unsafe { put_value(value, found) }
}

/// `MPI_Win_set_attr`.
pub unsafe fn set(win: WinHandle, keyval: i32, value: *mut c_void) -> Result<()> {
    let win = Win::from_handle(win)?;
    win.attributes.set(win.id, keyval, Kind::Win, value).map_err(|error| error.on_win(win.id))
}

/// `MPI_Win_delete_attr`.
pub unsafe fn delete(win: WinHandle, keyval: i32) -> Result<()> {
    let win = Win::from_handle(win)?;
    win.attributes.delete(win.id, keyval, Kind::Win).map_err(|error| error.on_win(win.id))
}
