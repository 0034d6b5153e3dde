//! Events and their sources: there are none, so every index and handle is invalid.

use std::ffi::CString;

use super::check;
use crate::arguments::Output;
use crate::error::{Class, Error, Result};

/// `MPI_T_event_get_num` and `MPI_T_source_get_num`.
pub unsafe fn get_num(number: Option<Output<i32>>) -> Result<()> {
    check()?;
    number.iter().for_each(|number| number.set(0));
    Ok(())
}

/// `MPI_T_event_get_index`.
pub unsafe fn get_index(_name: CString, _index: Option<Output<i32>>) -> Result<()> {
    check()?;
    Err(Error::new(Class::T_INVALID_NAME, "this library has no events"))
}

/// Refuses an index, in functions with so many arguments.
macro_rules! refuse_index {
    ($($(#[$doc:meta])* $name:ident($($argument:ident)*);)*) => {$(
        $(#[$doc])*
        #[allow(non_camel_case_types)]
        pub unsafe fn $name<$($argument),*>($(_: $argument),*) -> Result<()> {
            check()?;
            Err(Error::new(Class::T_INVALID_INDEX, "this library has no events and no sources of events"))
        }
    )*};
}

/// Refuses a handle, in functions with so many arguments.
macro_rules! refuse_handle {
    ($($(#[$doc:meta])* $name:ident($($argument:ident)*);)*) => {$(
        $(#[$doc])*
        #[allow(non_camel_case_types)]
        pub unsafe fn $name<$($argument),*>($(_: $argument),*) -> Result<()> {
            check()?;
            Err(Error::new(Class::T_INVALID_HANDLE, "this library has no events"))
        }
    )*};
}

refuse_index! {
    /// `MPI_T_event_get_info`.
    get_info(index name name_len verbosity datatypes displacements number enumtype info desc desc_len bind);
    /// `MPI_T_event_handle_alloc`.
    handle_alloc(index object info registration);
    /// `MPI_T_source_get_info`.
    source_get_info(index name name_len desc desc_len ordering ticks max_ticks info);
    /// `MPI_T_source_get_timestamp`.
    source_get_timestamp(index timestamp);
}

refuse_handle! {
    /// A function of a handle and one more argument.
    two(handle other);
    /// A function of a handle and two more arguments.
    three(handle other another);
    /// `MPI_T_event_register_callback`.
    register_callback(registration safety info data function);
}
