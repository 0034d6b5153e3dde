//! Reduce_scatter: everybody combines, everybody gets one part of the result.

use std::ffi::c_void;

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks; every rank gets its part of the result.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  S0
///     rank 1  b0 b1 b2  =>    rank 1  S1         Sk = ak op bk op ck; recv_count 1
///     rank 2  c0 c1 c2        rank 2  S2
///
/// \param send        [in] size * recv_count elements. Read only.
/// \param recv        [out] recv_count elements.
/// \param recv_count  [in] Elements that each rank receives. The same on every rank.
/// \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
/// \param op          [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
/// \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: recv == send + rank * recv_count
/// elements. The rest of send is left as it was. Any other overlap is refused. Replacement for
/// MPI_Reduce_scatter_block and ncclReduceScatter.
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

/// Starts a reduce_scatter and returns at once.
///
/// \param send, recv, recv_count, datatype, op, comm  See anyccl_reduce_scatter; the buffers belong to the
///        library until the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ireduce_scatter_block.
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
