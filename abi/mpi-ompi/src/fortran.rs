//! The sentinels of Fortran. A program in Fortran defines them, too, and the loader makes all uses one. So
//! this library asks the loader for their addresses, as for [`crate::objects`].

use std::cell::UnsafeCell;

/// An object of any size of which only the address matters.
#[repr(transparent)]
pub struct Sentinel<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);

// SAFETY: nothing reads or writes the bytes.
unsafe impl<const BYTES: usize> Sync for Sentinel<BYTES> {}

macro_rules! sentinels {
    ($($name:ident $bytes:literal;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: only its address counts.")]
        #[unsafe(no_mangle)]
        pub static $name: Sentinel<$bytes> = Sentinel(UnsafeCell::new([0; $bytes]));
    )*};
}

sentinels! {
    mpi_fortran_argv_null_ 1;
    mpi_fortran_argvs_null_ 1;
    mpi_fortran_bottom_ 4;
    mpi_fortran_errcodes_ignore_ 4;
    mpi_fortran_in_place_ 4;
    mpi_fortran_status_ignore_ 24;
    mpi_fortran_statuses_ignore_ 24;
    mpi_fortran_unweighted_ 4;
    mpi_fortran_weights_empty_ 4;
}

/// An address that C programs read.
#[repr(transparent)]
pub struct Address(*const u8);

// SAFETY: the address is compared, never followed.
unsafe impl Sync for Address {}

macro_rules! addresses {
    ($($name:ident = $of:ident;)*) => {$(
        #[doc = concat!("The address of `", stringify!($of), "`, for C.")]
        #[unsafe(no_mangle)]
        pub static $name: Address = Address((&raw const $of).cast());
    )*};
}

addresses! {
    MPI_F_STATUS_IGNORE = mpi_fortran_status_ignore_;
    MPI_F_STATUSES_IGNORE = mpi_fortran_statuses_ignore_;
    MPI_F08_STATUS_IGNORE = mpi_fortran_status_ignore_;
    MPI_F08_STATUSES_IGNORE = mpi_fortran_statuses_ignore_;
}
