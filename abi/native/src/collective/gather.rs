//! Gather: every rank contributes a block, and the root gets all blocks.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Collects the elements of all ranks at the root, in the order of the ranks.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  -
///     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1      root 1
///     rank 2  c0 c1           rank 2  -
///
/// \param[in]  send        Block of this rank, send_count elements.
/// \param[out] recv        All blocks, size * send_count elements at the root. Not used on the other ranks:
///                         may be NULL.
/// \param[in]  send_count  Elements of each block.
/// \param[in]  datatype    Datatype of the elements.
/// \param[in]  root        Rank that gets the blocks.
/// \param[in]  comm        Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv + root * send_count elements at the root. Replacement for MPI_Gather
/// and ncclGather.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_gather(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_gather", || arguments(send, recv, send_count, datatype, root, comm)) }
}

/// Nonblocking form of anyccl_gather(): see \ref nonblocking in request.h. Replacement for MPI_Igather.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_igather(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_igather", || unsafe {
        invocation::start(arguments(send, recv, send_count, datatype, root, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::Gather,
        send,
        recv,
        count: send_count,
        datatype,
        op: None,
        root: Some(root),
        comm,
    }
}
