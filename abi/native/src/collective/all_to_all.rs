//! All_to_all: everybody has a part for everybody.

use std::ffi::c_void;

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Sends part k of every rank to rank k, where the parts lie in the order of the ranks they come from.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  a0 b0 c0
///     rank 1  b0 b1 b2  =>    rank 1  a1 b1 c1      count_per_rank 1
///     rank 2  c0 c1 c2        rank 2  a2 b2 c2
///
/// \param send            [in] size * count_per_rank elements. Read only.
/// \param recv            [out] size * count_per_rank elements.
/// \param count_per_rank  [in] Elements for each rank. The same on every rank.
/// \param datatype        [in] One of enum anyccl_datatype. The same on every rank.
/// \param comm            [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
/// refused. Replacement for MPI_Alltoall and ncclAlltoAll.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_to_all(
    send: *const c_void,
    recv: *mut c_void,
    count_per_rank: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_all_to_all", || arguments(send, recv, count_per_rank, datatype, comm)) }
}

/// Starts an all_to_all and returns at once.
///
/// \param send, recv, count_per_rank, datatype, comm  See anyccl_all_to_all; the buffers belong to the
///        library until the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ialltoall.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_to_all(
    send: *const c_void,
    recv: *mut c_void,
    count_per_rank: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_iall_to_all", || unsafe {
        invocation::start(arguments(send, recv, count_per_rank, datatype, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    count_per_rank: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::AllToAll,
        send,
        recv,
        count: count_per_rank,
        datatype,
        op: None,
        root: None,
        comm,
    }
}
