//! Reduce_scatter: every rank contributes, and every rank gets one block of the result.

use std::ffi::c_void;

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks; every rank gets one block of the result.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  S0
///     rank 1  b0 b1 b2  =>    rank 1  S1         Sk = ak op bk op ck; recv_count 1
///     rank 2  c0 c1 c2        rank 2  S2
///
/// \param[in]  send        Contribution of this rank, size * recv_count elements.
/// \param[out] recv        Block of this rank, recv_count elements.
/// \param[in]  recv_count  Elements of each block.
/// \param[in]  datatype    Datatype of the elements.
/// \param[in]  op          Operator that accepts datatype.
/// \param[in]  comm        Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: recv == send + rank * recv_count elements; the rest of send does not change.
/// Replacement for MPI_Reduce_scatter_block and ncclReduceScatter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_scatter(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_reduce_scatter", || arguments(send, recv, recv_count, datatype, op, comm)) }
}

/// Nonblocking form of anyccl_reduce_scatter(): see \ref nonblocking in request.h. Replacement for
/// MPI_Ireduce_scatter_block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ireduce_scatter(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_ireduce_scatter", || unsafe {
        invocation::start(arguments(send, recv, recv_count, datatype, op, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::ReduceScatter,
        send,
        recv,
        count: recv_count,
        datatype,
        op: Some(op),
        root: None,
        comm,
    }
}
