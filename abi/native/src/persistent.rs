//! Persistent operations: prepared once, started often by anyccl_start.
//!
//! One function per collective and side of a transfer; they differ from the ones that start at once only in
//! what becomes of the checked arguments. The header generator does not see functions that a macro makes, so
//! they are spelled out.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::{Collective, Datatype};

use crate::collective::Arguments;
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};
use crate::transfer::{Received, Sent};

/// Prepares an all_reduce that is started later, and often.
///
/// \param send, recv, count, datatype, op, comm  See anyccl_all_reduce; the buffers belong to the library
///        during each run. An operator that the program has made may be destroyed before the request is
///        freed.
/// \param request  [out] Persistent: see anyccl_request_t. Owned by the caller; release with
///                 anyccl_request_free(). Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT, ANYCCL_ERR_INVALID_USAGE or ANYCCL_ERR_UNSUPPORTED
///          as for anyccl_all_reduce.
///
/// Local: arguments are checked, nothing is sent. Each run is a collective call of its own, which ranks may
/// as well make by anyccl_all_reduce or anyccl_iall_reduce. Replacement for MPI_Allreduce_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_reduce_init(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_reduce_init", || {
        let collective = Collective::AllReduce;
        let (op, root) = (Some(op), None);
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares a reduce that is started later, and often.
///
/// \param send, recv, count, datatype, op, root, comm  See anyccl_reduce, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Reduce_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_init(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_reduce_init", || {
        let collective = Collective::Reduce;
        let (op, root) = (Some(op), Some(root));
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares a broadcast that is started later, and often.
///
/// \param send, recv, count, datatype, root, comm  See anyccl_broadcast, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Bcast_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_broadcast_init(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_broadcast_init", || {
        let collective = Collective::Broadcast;
        let (op, root) = (None, Some(root));
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares an all_gather that is started later, and often.
///
/// \param send, recv, send_count, datatype, comm  See anyccl_all_gather, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Allgather_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_init(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_gather_init", || {
        let collective = Collective::AllGather;
        let (op, root) = (None, None);
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count: send_count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares a gather that is started later, and often.
///
/// \param send, recv, send_count, datatype, root, comm  See anyccl_gather, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Gather_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_gather_init(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_gather_init", || {
        let collective = Collective::Gather;
        let (op, root) = (None, Some(root));
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count: send_count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares a scatter that is started later, and often.
///
/// \param send, recv, recv_count, datatype, root, comm  See anyccl_scatter, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Scatter_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_scatter_init(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_scatter_init", || {
        let collective = Collective::Scatter;
        let (op, root) = (None, Some(root));
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count: recv_count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares a reduce_scatter that is started later, and often.
///
/// \param send, recv, recv_count, datatype, op, comm  See anyccl_reduce_scatter, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Reduce_scatter_block_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_scatter_init(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_reduce_scatter_init", || {
        let collective = Collective::ReduceScatter;
        let (op, root) = (Some(op), None);
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count: recv_count, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares an all_to_all that is started later, and often.
///
/// \param send, recv, count_per_rank, datatype, comm  See anyccl_all_to_all, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Alltoall_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_to_all_init(
    send: *const c_void,
    recv: *mut c_void,
    count_per_rank: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_to_all_init", || {
        let collective = Collective::AllToAll;
        let (op, root) = (None, None);
        // SAFETY: the caller promises buffers of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments { collective, send, recv, count: count_per_rank, datatype, op, root, comm },
                request,
            )
        }
    })
}

/// Prepares a barrier that is started later, and often.
///
/// \param comm     [in] See anyccl_barrier.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Barrier_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_barrier_init(
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_barrier_init", || {
        let arguments = Arguments {
            collective: Collective::Barrier,
            send: std::ptr::null(),
            recv: std::ptr::null_mut(),
            count: 0,
            datatype: Datatype::Byte as anyccl_datatype_t,
            op: None,
            root: None,
            comm,
        };
        // SAFETY: a barrier has no buffers; the caller promises a writable request or NULL.
        unsafe { invocation::prepare(arguments, request) }
    })
}

/// Prepares a send that is started later, and often.
///
/// \param send, count, datatype, peer, tag, comm  See anyccl_send, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run sends a message of its own, for any receive. Replacement for MPI_Send_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_send_init(
    send: *const c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    peer: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Sent { send, count, datatype, peer, tag, comm, is_synchronous: false };
    // SAFETY: the caller promises a buffer of the documented length that nobody else changes during each run,
    // and a writable request or NULL.
    edge("anyccl_send_init", || unsafe { invocation::prepare(arguments, request) })
}

/// Prepares a receive that is started later, and often.
///
/// \param recv, count, datatype, source, tag, comm  See anyccl_recv, during each run.
/// \param request  [out] See anyccl_all_reduce_init. anyccl_wait_message tells of the message of each run.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run gets a message, however that was sent. Replacement for MPI_Recv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_recv_init(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Received { recv, count, datatype, source, tag, comm };
    // SAFETY: the caller promises a buffer of the documented length that nobody else uses during each run,
    // and a writable request or NULL.
    edge("anyccl_recv_init", || unsafe { invocation::prepare(arguments, request) })
}
