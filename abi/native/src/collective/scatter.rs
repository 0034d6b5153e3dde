//! Scatter: every rank gets a block of the root.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Distributes the elements of the root to all ranks, in the order of the ranks.
///
///     before  send                        after  recv
///     rank 0  -                           rank 0  a0 a1
///     rank 1  a0 a1 b0 b1 c0 c1     =>    rank 1  b0 b1      root 1
///     rank 2  -                           rank 2  c0 c1
///
/// \param[in]  send        All blocks, size * recv_count elements at the root. Not used on the other ranks:
///                         may be NULL.
/// \param[out] recv        Block of this rank, recv_count elements.
/// \param[in]  recv_count  Elements of each block.
/// \param[in]  datatype    Datatype of the elements.
/// \param[in]  root        Rank that sends the blocks.
/// \param[in]  comm        Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: recv == send + root * recv_count elements at the root. Replacement for MPI_Scatter
/// and ncclScatter.
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

/// Nonblocking form of anyccl_scatter(): see \ref nonblocking in request.h. Replacement for MPI_Iscatter.
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
