//! MPI for Fortran, in the numbers of the standard ABI: what `mpif.h`, `use mpi` and `use mpi_f08` of
//! anyccl-mpifort call. The standard fixes the integers of handles and constants; the names of the common
//! blocks are anyccl's.

mod attribute_functions;
mod functions;
mod names;

use std::cell::UnsafeCell;
use std::ffi::c_int;

use anyccl_mpi::abi::Object;
use anyccl_mpi::fortran::{InFortran, Sentinels};

use crate::standard::Door;

/// A common block of which only the address matters. A program defines it, too, and the loader makes all
/// uses one.
#[repr(C, align(16))]
pub struct Common(UnsafeCell<[u8; 32]>);

// SAFETY: nothing reads or writes the bytes.
unsafe impl Sync for Common {}

macro_rules! commons {
    ($($field:ident: $name:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`: only its address counts.")]
            #[unsafe(no_mangle)]
            pub static $name: Common = Common(UnsafeCell::new([0; 32]));
        )*

        fn sentinels() -> Sentinels {
            Sentinels { $($field: (&raw const $name).addr()),* }
        }
    };
}

commons! {
    bottom: anyccl_fortran_bottom_;
    in_place: anyccl_fortran_in_place_;
    status_ignore: anyccl_fortran_status_ignore_;
    statuses_ignore: anyccl_fortran_statuses_ignore_;
    unweighted: anyccl_fortran_unweighted_;
    weights_empty: anyccl_fortran_weights_empty_;
    buffer_automatic: anyccl_fortran_buffer_automatic_;
}

impl InFortran for Door {
    // The integer of an object is its number.
    #[inline(always)]
    fn of_fortran(_: Object, integer: c_int) -> u32 {
        integer.cast_unsigned()
    }

    #[inline(always)]
    fn fortran(_: Object, id: u32) -> c_int {
        id.cast_signed()
    }

    fn sentinels() -> Sentinels {
        sentinels()
    }
}
