//! The persistent forms of collectives with blocks of one length and of messages.
//!
//! One function for each collective, and for send and receive. They differ from the nonblocking forms only in
//! what happens to the checked arguments. They are spelled out because the header generator does not see
//! functions that a macro makes.

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

/// Persistent form of anyccl_all_reduce(): see \ref persistent in request.h. Replacement for
/// MPI_Allreduce_init.
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

/// Persistent form of anyccl_reduce(): see \ref persistent in request.h. Replacement for MPI_Reduce_init.
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

/// Persistent form of anyccl_broadcast(): see \ref persistent in request.h. Replacement for MPI_Bcast_init.
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

/// Persistent form of anyccl_all_gather(): see \ref persistent in request.h. Replacement for
/// MPI_Allgather_init.
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

/// Persistent form of anyccl_gather(): see \ref persistent in request.h. Replacement for MPI_Gather_init.
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

/// Persistent form of anyccl_scatter(): see \ref persistent in request.h. Replacement for MPI_Scatter_init.
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

/// Persistent form of anyccl_reduce_scatter(): see \ref persistent in request.h. Replacement for
/// MPI_Reduce_scatter_block_init.
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

/// Persistent form of anyccl_all_to_all(): see \ref persistent in request.h. Replacement for
/// MPI_Alltoall_init.
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

/// Persistent form of anyccl_barrier(): see \ref persistent in request.h. Replacement for MPI_Barrier_init.
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

/// Persistent form of anyccl_send(): see \ref persistent in request.h. Each run sends one message, which any
/// form of receive may receive. Replacement for MPI_Send_init.
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

/// Persistent form of anyccl_recv(): see \ref persistent in request.h. Each run receives one message, from
/// any form of send; anyccl_wait_message() tells about it. Replacement for MPI_Recv_init.
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
