//! Broadcast: every rank gets the elements of the root.

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
/// \param[in]  send      Elements of the root, count of them. Not used on the other ranks: may be NULL, or
///                       recv.
/// \param[out] recv      Elements of the root, count of them.
/// \param[in]  count     Elements of each buffer.
/// \param[in]  datatype  Datatype of the elements.
/// \param[in]  root      Rank that sends.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv. One pointer, given twice on every rank, does what MPI_Bcast does.
/// Replacement for MPI_Bcast and ncclBroadcast.
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

/// Nonblocking form of anyccl_broadcast(): see \ref nonblocking in request.h. Replacement for MPI_Ibcast.
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
