//! Open MPI's functions that copy and delete attributes. In mpi.h, `MPI_COMM_DUP_FN` is
//! `OMPI_C_MPI_COMM_DUP_FN`, and so on. Programs in Fortran import theirs in four spellings.

use std::ffi::{c_int, c_void};

use crate::exports::{MPI_Wtick, MPI_Wtime};

macro_rules! in_c {
    (copies the value: $($copy:ident)*; copies nothing: $($null:ident)*; deletes nothing: $($delete:ident)*;) => {
        $(
            #[doc = concat!("`", stringify!($copy), "`: the value is copied as it is.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $copy(
                _object: usize, _key: c_int, _extra: *mut c_void, value: *mut c_void, new: *mut c_void,
                flag: *mut c_int,
            ) -> c_int {
                // SAFETY: a copy function gets a place for a pointer.
                unsafe { new.cast::<*mut c_void>().write(value) };
                // SAFETY: a copy function gets a place for a flag.
                unsafe { flag.write(1) };
                0
            }
        )*
        $(
            #[doc = concat!("`", stringify!($null), "`: the attribute is not copied.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $null(
                _object: usize, _key: c_int, _extra: *mut c_void, _value: *mut c_void, _new: *mut c_void,
                flag: *mut c_int,
            ) -> c_int {
                // SAFETY: a copy function gets a place for a flag.
                unsafe { flag.write(0) };
                0
            }
        )*
        $(
            #[doc = concat!("`", stringify!($delete), "`: there is nothing to do.")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $delete(
                _object: usize, _key: c_int, _value: *mut c_void, _extra: *mut c_void,
            ) -> c_int {
                0
            }
        )*
    };
}

in_c! {
    copies the value: OMPI_C_MPI_DUP_FN OMPI_C_MPI_COMM_DUP_FN OMPI_C_MPI_TYPE_DUP_FN OMPI_C_MPI_WIN_DUP_FN;
    copies nothing: OMPI_C_MPI_NULL_COPY_FN OMPI_C_MPI_COMM_NULL_COPY_FN OMPI_C_MPI_TYPE_NULL_COPY_FN
        OMPI_C_MPI_WIN_NULL_COPY_FN;
    deletes nothing: OMPI_C_MPI_NULL_DELETE_FN OMPI_C_MPI_COMM_NULL_DELETE_FN OMPI_C_MPI_TYPE_NULL_DELETE_FN
        OMPI_C_MPI_WIN_NULL_DELETE_FN;
}

/// Defines functions for Fortran, where every argument is an address. `$value` is the type of an attribute:
/// an INTEGER in MPI 1, and an integer of the size of an address since.
macro_rules! in_fortran {
    (copy $value:ty: $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of Fortran.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: *const c_int, _key: *const c_int, _extra: *const $value, value: *const $value,
            new: *mut $value, flag: *mut c_int, error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a copy function.
            unsafe { (new.write(*value), flag.write(1), error.write(0)) };
        }
    )*};
    (null copy: $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of Fortran.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: *const c_int, _key: *const c_int, _extra: *const c_void, _value: *const c_void,
            _new: *mut c_void, flag: *mut c_int, error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a copy function.
            unsafe { (flag.write(0), error.write(0)) };
        }
    )*};
    (null delete: $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of Fortran.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: *const c_int, _key: *const c_int, _value: *const c_void, _extra: *const c_void,
            error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a delete function.
            unsafe { error.write(0) };
        }
    )*};
    (null conversion: $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of Fortran.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _user: *const c_void, _datatype: *const c_int, _count: *const c_int, _file: *const c_void,
            _position: *const c_void, _extra: *const c_void, error: *mut c_int,
        ) {
            // SAFETY: Fortran passes the addresses of the arguments of a conversion function.
            unsafe { error.write(0) };
        }
    )*};
    (time $source:ident: $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($source), "` for Fortran.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() -> f64 {
            // SAFETY: it has no conditions.
            unsafe { $source() }
        }
    )*};
    (address $combine:ident: $($name:ident)*) => {$(
        #[doc = concat!("An address by `", stringify!($combine), "`, for Fortran.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(base: *const isize, other: *const isize) -> isize {
            // SAFETY: Fortran passes the addresses of two integers.
            unsafe { (*base).$combine(*other) }
        }
    )*};
}

in_fortran! { copy c_int: mpi_dup_fn mpi_dup_fn_ mpi_dup_fn__ MPI_DUP_FN }
in_fortran! { copy isize: mpi_comm_dup_fn mpi_comm_dup_fn_ mpi_comm_dup_fn__ MPI_COMM_DUP_FN
mpi_type_dup_fn mpi_type_dup_fn_ mpi_type_dup_fn__ MPI_TYPE_DUP_FN
mpi_win_dup_fn mpi_win_dup_fn_ mpi_win_dup_fn__ MPI_WIN_DUP_FN }
in_fortran! { null copy: mpi_null_copy_fn mpi_null_copy_fn_ mpi_null_copy_fn__ MPI_NULL_COPY_FN
mpi_comm_null_copy_fn mpi_comm_null_copy_fn_ mpi_comm_null_copy_fn__ MPI_COMM_NULL_COPY_FN
mpi_type_null_copy_fn mpi_type_null_copy_fn_ mpi_type_null_copy_fn__ MPI_TYPE_NULL_COPY_FN
mpi_win_null_copy_fn mpi_win_null_copy_fn_ mpi_win_null_copy_fn__ MPI_WIN_NULL_COPY_FN }
in_fortran! { null delete: mpi_null_delete_fn mpi_null_delete_fn_ mpi_null_delete_fn__ MPI_NULL_DELETE_FN
mpi_comm_null_delete_fn mpi_comm_null_delete_fn_ mpi_comm_null_delete_fn__ MPI_COMM_NULL_DELETE_FN
mpi_type_null_delete_fn mpi_type_null_delete_fn_ mpi_type_null_delete_fn__ MPI_TYPE_NULL_DELETE_FN
mpi_win_null_delete_fn mpi_win_null_delete_fn_ mpi_win_null_delete_fn__ MPI_WIN_NULL_DELETE_FN }
in_fortran! { null conversion: mpi_conversion_fn_null mpi_conversion_fn_null_ mpi_conversion_fn_null__
MPI_CONVERSION_FN_NULL mpi_conversion_fn_null_f }
in_fortran! { time MPI_Wtime: mpi_wtime_f90 mpi_wtime_f90_ mpi_wtime_f90__ MPI_WTIME_F90 }
in_fortran! { time MPI_Wtick: mpi_wtick_f90 mpi_wtick_f90_ mpi_wtick_f90__ MPI_WTICK_F90 }
in_fortran! { address wrapping_add: mpi_aint_add_f90 mpi_aint_add_f90_ mpi_aint_add_f90__ MPI_AINT_ADD_F90 }
in_fortran! { address wrapping_sub: mpi_aint_diff_f90 mpi_aint_diff_f90_ mpi_aint_diff_f90__ MPI_AINT_DIFF_F90 }
