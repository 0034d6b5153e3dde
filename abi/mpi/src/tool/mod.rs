//! The tool information interface (MPI 5.0, chapter 15): what a tool can learn about this library.
//!
//! - `control` shows the environment variables that the library reads. They are read when MPI starts, so no
//!   tool writes them.
//! - `performance` shows what the library counts; `category` has one category, with all variables.
//! - `event` has the functions on events and their sources, of which there are none.
//!
//! These functions return error codes of their own and call no error handler: [`crate::call::Scope::Tools`].
//! All of them work before `MPI_Init` and after `MPI_Finalize`, between `MPI_T_init_thread` and
//! `MPI_T_finalize`.

pub mod category;
pub mod control;
pub mod event;
pub mod performance;
mod text;

use parking_lot::Mutex;

use crate::arguments::{InputOutput, Output, TextPlace, ToolHandle};
use crate::constants::THREAD_MULTIPLE;
use crate::error::{Class, Error, Result};

/// Number of calls of `MPI_T_init_thread` without their `MPI_T_finalize`.
static USERS: Mutex<u32> = Mutex::new(0);

/// `MPI_T_init_thread`. Any thread may call these functions at any time.
pub unsafe fn init_thread(_required: i32, provided: Option<Output<i32>>) -> Result<()> {
    *USERS.lock() += 1;
    provided.iter().for_each(|provided| provided.set(THREAD_MULTIPLE));
    Ok(())
}

/// `MPI_T_finalize`.
pub unsafe fn finalize() -> Result<()> {
    let mut users = USERS.lock();
    *users = users.checked_sub(1).ok_or_else(not_initialized)?;
    Ok(())
}

/// Refuses a call before `MPI_T_init_thread` or after `MPI_T_finalize`.
fn check() -> Result<()> {
    if *USERS.lock() > 0 { Ok(()) } else { Err(not_initialized()) }
}

#[cold]
fn not_initialized() -> Error {
    Error::new(Class::T_NOT_INITIALIZED, "MPI_T_init_thread has not been called, or MPI_T_finalize has")
}

/// The element of a list with this index.
fn at<'a, T>(list: &'a [T], index: i32, what: &str) -> Result<&'a T> {
    usize::try_from(index).ok().and_then(|index| list.get(index)).ok_or_else(|| {
        Error::new(Class::T_INVALID_INDEX, format!("{what} {index}; there are {}", list.len()))
    })
}

/// `MPI_T_enum_get_info`. No variable has an enumeration, so no handle of one is valid.
pub unsafe fn enum_get_info(
    _enumtype: ToolHandle,
    _num: Option<Output<i32>>,
    _name: Option<TextPlace>,
    _name_len: Option<InputOutput<i32>>,
) -> Result<()> {
    check().and_then(|()| Err(no_enum()))
}

/// `MPI_T_enum_get_item`.
pub unsafe fn enum_get_item(
    _enumtype: ToolHandle,
    _index: i32,
    _value: Option<Output<i32>>,
    _name: Option<TextPlace>,
    _name_len: Option<InputOutput<i32>>,
) -> Result<()> {
    check().and_then(|()| Err(no_enum()))
}

#[cold]
fn no_enum() -> Error {
    Error::new(Class::T_INVALID_HANDLE, "no variable of this library has an enumeration")
}
