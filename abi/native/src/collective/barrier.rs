//! Barrier: nobody leaves before everybody has come.

use anyccl_engine::base::{Collective, Datatype};

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Waits until every rank has come here.
///
///     rank 0  ----------|
///     rank 1  ---|......|   =>   all go on
///     rank 2  -------|..|
///
/// \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until all have come. What a rank did before it, the others see after it.
/// Replacement for MPI_Barrier.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_barrier(comm: anyccl_comm_t) -> anyccl_status_t {
    // SAFETY: a barrier has no buffers.
    unsafe { run("anyccl_barrier", || arguments(comm)) }
}

/// Starts a barrier and returns at once; the request ends when every rank has come.
///
/// \param comm     See anyccl_barrier.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ibarrier.
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
