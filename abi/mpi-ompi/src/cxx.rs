//! What Open MPI's library for C++ (libmpi_cxx.so.40) imports besides MPI's functions. That library stays the
//! one of the machine: programs that include `mpicxx.h` need it to start, and hardly any calls it.

use std::sync::atomic::{AtomicI32, AtomicU64};

use crate::open_mpi::Door;

/// Error codes of Open MPI; not used.
#[unsafe(no_mangle)]
pub static ompi_errcodes_intern: [AtomicU64; 15] = [const { AtomicU64::new(0) }; 15];

/// The number of those codes; not used.
#[unsafe(no_mangle)]
pub static ompi_errcode_intern_lastused: AtomicI32 = AtomicI32::new(0);

/// Data representations; not used.
#[unsafe(no_mangle)]
pub static ompi_registered_datareps: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];

anyccl_mpi::refused! { Door:
    ompi_attr_create_keyval = "MPI::Comm::Create_keyval"
    ompi_errhandler_create = "MPI::Comm::Create_errhandler"
    ompi_errhandler_invoke = "MPI::Comm::Call_errhandler"
    ompi_op_set_cxx_callback = "MPI::Op::Init"
}
