//! Scatter: the root has all parts, everybody gets one.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Deals the elements of the root out to all ranks, in the order of ranks.
///
///     before  send                        after  recv
///     rank 0  -                           rank 0  a0 a1
///     rank 1  a0 a1 b0 b1 c0 c1     =>    rank 1  b0 b1      root 1
///     rank 2  -                           rank 2  c0 c1
///
/// \param send        [in] size * recv_count elements at the root. Not used elsewhere: may be NULL.
/// \param recv        [out] recv_count elements.
/// \param recv_count  [in] Elements that each rank receives. The same on every rank.
/// \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
/// \param root        [in] 0 to size-1. The same on every rank.
/// \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. The root may return before the others have
/// come. In place: recv == send + root * recv_count elements at the root. Any other overlap is refused.
/// Replacement for MPI_Scatter and ncclScatter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_scatter(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_scatter", || arguments(send, recv, recv_count, datatype, root, comm)) }
}

/// Starts a scatter and returns at once.
///
/// \param send, recv, recv_count, datatype, root, comm  See anyccl_scatter; the buffers belong to the
///        library until the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Iscatter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iscatter(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_iscatter", || unsafe {
        invocation::start(arguments(send, recv, recv_count, datatype, root, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::Scatter,
        send,
        recv,
        count: recv_count,
        datatype,
        op: None,
        root: Some(root),
        comm,
    }
}
