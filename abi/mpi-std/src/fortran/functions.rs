//! The functions, from the tables of all chapters. [`super::names`] exports them.

// Some forms of functions have no names in Fortran.
#![allow(dead_code)]

use anyccl_mpi::arguments::*;
use anyccl_mpi::fortran::Fortran;
use anyccl_mpi::fortran::argument::{Function, ShortAddress, Unused};

type Door = Fortran<crate::standard::Door>;

anyccl_mpi::fortran_chapters!();

/// Functions that give back a buffer, for `use mpi_f08`: only there has Fortran a type for its address.
pub mod with_address {
    use anyccl_mpi::arguments::*;

    use super::Door;

    anyccl_mpi::fortran_row! { @made MPI_Buffer_detach (buffer_addr: Pointer, size: Out<Count>) [] [] []
    [p2p::buffered::buffer_detach] }
    anyccl_mpi::fortran_row! { @made MPI_Buffer_detach_c (buffer_addr: Pointer, size: Out<LargeCount>) [] [] []
    [p2p::buffered::buffer_detach] }
    anyccl_mpi::fortran_row! { @made MPI_Comm_detach_buffer (comm: CommHandle, buffer_addr: Pointer, size: Out<Count>)
    [comm] [] [] [p2p::buffered::comm_detach_buffer] }
    anyccl_mpi::fortran_row! { @made MPI_Comm_detach_buffer_c (comm: CommHandle, buffer_addr: Pointer, size:
    Out<LargeCount>) [comm] [] [] [p2p::buffered::comm_detach_buffer] }
    anyccl_mpi::fortran_row! { @made MPI_Session_detach_buffer (session: SessionHandle, buffer_addr: Pointer, size:
    Out<Count>) [] [] [] [refused] }
    anyccl_mpi::fortran_row! { @made MPI_Session_detach_buffer_c (session: SessionHandle, buffer_addr: Pointer, size:
    Out<LargeCount>) [] [] [] [refused] }
}
