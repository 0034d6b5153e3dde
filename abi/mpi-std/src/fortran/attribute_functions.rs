//! MPI's functions that copy and delete attributes, for programs in Fortran to name.

use std::ffi::{c_int, c_void};

/// Defines functions that copy a value, which has the type `$value`.
macro_rules! copies {
    ($value:ty: $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: the value is copied as it is.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: *const c_int, _key: *const c_int, _extra: *const $value, value: *const $value,
            new: *mut $value, flag: *mut c_int, error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a copy function.
            unsafe { (new.write(*value), flag.write(1), error.write(0)) };
        }
    )*};
}

/// Defines functions that copy nothing.
macro_rules! null_copies {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: the attribute is not copied.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: *const c_int, _key: *const c_int, _extra: *const c_void, _value: *const c_void,
            _new: *mut c_void, flag: *mut c_int, error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a copy function.
            unsafe { (flag.write(0), error.write(0)) };
        }
    )*};
}

/// Defines functions that have nothing to delete.
macro_rules! null_deletes {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: there is nothing to do.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: *const c_int, _key: *const c_int, _value: *const c_void, _extra: *const c_void,
            error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a delete function.
            unsafe { error.write(0) };
        }
    )*};
}

copies! { c_int: mpi_dup_fn_ }
copies! { isize: mpi_comm_dup_fn_ mpi_type_dup_fn_ mpi_win_dup_fn_ }
null_copies! { mpi_null_copy_fn_ mpi_comm_null_copy_fn_ mpi_type_null_copy_fn_ mpi_win_null_copy_fn_ }
null_deletes! { mpi_null_delete_fn_ mpi_comm_null_delete_fn_ mpi_type_null_delete_fn_ mpi_win_null_delete_fn_ }
