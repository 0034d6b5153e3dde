//! Broadcast: the root has, everybody gets.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Copies the elements of the root to every rank.
///
///     before  send            after  recv
///     rank 0  - -             rank 0  b0 b1
///     rank 1  b0 b1     =>    rank 1  b0 b1      root 1
///     rank 2  - -             rank 2  b0 b1
///
/// \param send      [in] count elements at the root. Not used elsewhere: may be NULL, or recv.
/// \param recv      [out] count elements.
/// \param count     [in] Elements of each buffer. The same on every rank.
/// \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
/// \param root      [in] 0 to size-1. The same on every rank.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. The root may return before the others have
/// come. In place: send == recv. So one pointer, given twice on every rank, does what MPI_Bcast does. Any
/// other overlap is refused. Replacement for MPI_Bcast and ncclBroadcast.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_broadcast(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_broadcast", || arguments(send, recv, count, datatype, root, comm)) }
}

/// Starts a broadcast and returns at once.
///
/// \param send, recv, count, datatype, root, comm  See anyccl_broadcast; the buffers belong to the library
///        until the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ibcast.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ibroadcast(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_ibroadcast", || unsafe {
        invocation::start(arguments(send, recv, count, datatype, root, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::Broadcast,
        send,
        recv,
        count,
        datatype,
        op: None,
        root: Some(root),
        comm,
    }
}
