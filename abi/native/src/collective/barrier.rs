//! Barrier: no rank returns before every rank has made the call.

use anyccl_engine::base::{Collective, Datatype};

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Waits until every rank has made the call.
///
///     rank 0  ----------|
///     rank 1  ---|......|   =>   all continue
///     rank 2  -------|..|
///
/// \param[in] comm  Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. The request of its nonblocking form ends when every rank has made the call. After the barrier,
/// each rank sees what the others did before it. Replacement for MPI_Barrier.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_barrier(comm: anyccl_comm_t) -> anyccl_status_t {
    // SAFETY: a barrier has no buffers.
    unsafe { run("anyccl_barrier", || arguments(comm)) }
}

/// Nonblocking form of anyccl_barrier(): see \ref nonblocking in request.h. Replacement for MPI_Ibarrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ibarrier(
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: a barrier has no buffers; the caller promises a writable request or NULL.
    edge("anyccl_ibarrier", || unsafe { invocation::start(arguments(comm), request) })
}

fn arguments(comm: anyccl_comm_t) -> Arguments {
    Arguments {
        collective: Collective::Barrier,
        send: std::ptr::null(),
        recv: std::ptr::null_mut(),
        count: 0,
        datatype: Datatype::Byte as i32,
        op: None,
        root: None,
        comm,
    }
}
