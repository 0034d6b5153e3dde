//! Reduce: everybody combines, the root gets the result.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks; the root gets the result.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  - -
///     rank 1  b0 b1     =>    rank 1  S0 S1      root 1; Sk = ak op bk op ck
///     rank 2  c0 c1           rank 2  - -
///
/// \param send      [in] count elements. Read only.
/// \param recv      [out] count elements at the root. Not used elsewhere: may be NULL.
/// \param count     [in] Elements of each buffer. The same on every rank.
/// \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
/// \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
/// \param root      [in] 0 to size-1. The same on every rank.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
/// the others have come. In place: send == recv at the root. Any other overlap is refused. Replacement for
/// MPI_Reduce and ncclReduce.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_reduce", || arguments(send, recv, count, datatype, op, root, comm)) }
}

/// Starts a reduce and returns at once.
///
/// \param send, recv, count, datatype, op, root, comm  See anyccl_reduce; the buffers belong to the
///        library until the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ireduce.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ireduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_ireduce", || unsafe {
        invocation::start(arguments(send, recv, count, datatype, op, root, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::Reduce,
        send,
        recv,
        count,
        datatype,
        op: Some(op),
        root: Some(root),
        comm,
    }
}
