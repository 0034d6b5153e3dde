//! Functions of MPICH that are not MPI's.

use std::ffi::c_int;

use crate::exports::*;
use crate::mpich::Door;

/// Whether every call takes buffers in GPU memory. It does not: a datatype with holes is refused there, and a
/// program that asks would rely on it.
macro_rules! no_support {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: not every call does.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> c_int {
            0
        }
    )*};
}

no_support! {
    MPIX_Query_cuda_support PMPIX_Query_cuda_support
    MPIX_Query_hip_support PMPIX_Query_hip_support
    MPIX_Query_ze_support PMPIX_Query_ze_support
}

/// Says that not every call takes buffers in GPU memory, whatever the kind of GPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIX_GPU_query_support(_kind: c_int, is_supported: *mut c_int) -> c_int {
    // SAFETY: the program passes a place for a flag.
    unsafe { is_supported.write(0) };
    0
}

/// [`MPIX_GPU_query_support`] for tools.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PMPIX_GPU_query_support(kind: c_int, is_supported: *mut c_int) -> c_int {
    // SAFETY: passed on from the caller.
    unsafe { MPIX_GPU_query_support(kind, is_supported) }
}

// Names that MPICH had for functions of MPI 4.1, which its library for Fortran calls.
anyccl_mpi::jumps! {
    MPIX_Delete_error_class = MPI_Remove_error_class;
    PMPIX_Delete_error_class = PMPI_Remove_error_class;
    MPIX_Delete_error_code = MPI_Remove_error_code;
    PMPIX_Delete_error_code = PMPI_Remove_error_code;
    MPIX_Delete_error_string = MPI_Remove_error_string;
    PMPIX_Delete_error_string = PMPI_Remove_error_string;
}

anyccl_mpi::refused! { Door:
    // Of MPICH's library for C++.
    MPII_Op_set_cxx = "MPI::Op::Init"
    MPII_Errhandler_set_cxx = "MPI::Comm::Create_errhandler"
    MPIX_Allreduce_enqueue PMPIX_Allreduce_enqueue
    MPIX_Allreduce_enqueue_c PMPIX_Allreduce_enqueue_c
    MPIX_Async_get_state PMPIX_Async_get_state
    MPIX_Async_spawn PMPIX_Async_spawn
    MPIX_Async_start PMPIX_Async_start
    MPIX_Comm_create_errhandler_x PMPIX_Comm_create_errhandler_x
    MPIX_Comm_get_stream PMPIX_Comm_get_stream
    MPIX_Comm_test_threadcomm PMPIX_Comm_test_threadcomm
    MPIX_File_create_errhandler_x PMPIX_File_create_errhandler_x
    MPIX_Grequest_class_allocate PMPIX_Grequest_class_allocate
    MPIX_Grequest_class_create PMPIX_Grequest_class_create
    MPIX_Grequest_start PMPIX_Grequest_start
    MPIX_Info_set_hex PMPIX_Info_set_hex
    MPIX_Irecv_enqueue PMPIX_Irecv_enqueue
    MPIX_Irecv_enqueue_c PMPIX_Irecv_enqueue_c
    MPIX_Isend_enqueue PMPIX_Isend_enqueue
    MPIX_Isend_enqueue_c PMPIX_Isend_enqueue_c
    MPIX_Op_create_x PMPIX_Op_create_x
    MPIX_Recv_enqueue PMPIX_Recv_enqueue
    MPIX_Recv_enqueue_c PMPIX_Recv_enqueue_c
    MPIX_Request_is_complete PMPIX_Request_is_complete
    MPIX_Send_enqueue PMPIX_Send_enqueue
    MPIX_Send_enqueue_c PMPIX_Send_enqueue_c
    MPIX_Session_create_errhandler_x PMPIX_Session_create_errhandler_x
    MPIX_Start_progress_thread PMPIX_Start_progress_thread
    MPIX_Stop_progress_thread PMPIX_Stop_progress_thread
    MPIX_Stream_comm_create PMPIX_Stream_comm_create
    MPIX_Stream_comm_create_multiplex PMPIX_Stream_comm_create_multiplex
    MPIX_Stream_create PMPIX_Stream_create
    MPIX_Stream_free PMPIX_Stream_free
    MPIX_Stream_irecv PMPIX_Stream_irecv
    MPIX_Stream_irecv_c PMPIX_Stream_irecv_c
    MPIX_Stream_isend PMPIX_Stream_isend
    MPIX_Stream_isend_c PMPIX_Stream_isend_c
    MPIX_Stream_progress PMPIX_Stream_progress
    MPIX_Stream_recv PMPIX_Stream_recv
    MPIX_Stream_recv_c PMPIX_Stream_recv_c
    MPIX_Stream_send PMPIX_Stream_send
    MPIX_Stream_send_c PMPIX_Stream_send_c
    MPIX_Threadcomm_finish PMPIX_Threadcomm_finish
    MPIX_Threadcomm_free PMPIX_Threadcomm_free
    MPIX_Threadcomm_init PMPIX_Threadcomm_init
    MPIX_Threadcomm_start PMPIX_Threadcomm_start
    MPIX_Type_iov PMPIX_Type_iov
    MPIX_Type_iov_len PMPIX_Type_iov_len
    MPIX_Wait_enqueue PMPIX_Wait_enqueue
    MPIX_Waitall_enqueue PMPIX_Waitall_enqueue
    MPIX_Win_create_errhandler_x PMPIX_Win_create_errhandler_x
}
