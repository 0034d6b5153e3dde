//! All_to_all: every rank sends a block to every rank.

use std::ffi::c_void;

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Sends block k of every rank to rank k, which gets the blocks in the order of their senders.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  a0 b0 c0
///     rank 1  b0 b1 b2  =>    rank 1  a1 b1 c1      count_per_rank 1
///     rank 2  c0 c1 c2        rank 2  a2 b2 c2
///
/// \param[in]  send            One block for each rank, size * count_per_rank elements.
/// \param[out] recv            One block from each rank, size * count_per_rank elements.
/// \param[in]  count_per_rank  Elements of each block.
/// \param[in]  datatype        Datatype of the elements.
/// \param[in]  comm            Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv. Replacement for MPI_Alltoall and ncclAlltoAll.
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

/// Nonblocking form of anyccl_all_to_all(): see \ref nonblocking in request.h. Replacement for MPI_Ialltoall.
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
