//! All_gather_v: everybody has a part of its own length, everybody gets all parts.

use std::ffi::c_void;

use anyccl_edge::blocks;
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::Places;

use super::unequal::{Arguments, Blocks, Caller, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Collects the elements of all ranks on every rank; ranks may have different numbers of them.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  a0 a1 c0
///     rank 1  -         =>    rank 1  a0 a1 c0         recv_counts 2 0 1
///     rank 2  c0              rank 2  a0 a1 c0
///
/// \param send         [in] recv_counts[rank] elements. Read only.
/// \param recv         [out] For each rank r, recv_counts[r] elements from element recv_displs[r] on. What
///                     lies between these blocks is left alone.
/// \param recv_counts  [in] size numbers of elements. The same on every rank.
/// \param recv_displs  [in] size numbers of elements; NULL: the blocks lie one after the other. Each rank's
///                     own affair.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: send == recv + recv_displs[rank]
/// elements. Any other overlap is refused, also among the blocks of recv. Replacement for MPI_Allgatherv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_v(
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_all_gather_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe { blocks(caller, send, recv, recv_counts, recv_displs) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(arguments(datatype, comm).with(describe), None) }
    })
}

/// Starts an all_gather_v and returns at once.
///
/// \param send, recv, recv_counts, recv_displs, datatype, comm  See anyccl_all_gather_v; the
///        buffers belong to the library until the request has ended, the arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Iallgatherv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_gather_v(
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_iall_gather_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe { blocks(caller, send, recv, recv_counts, recv_displs) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(arguments(datatype, comm).with(describe), request) }
    })
}

/// Prepares an all_gather_v that is started later, and often.
///
/// \param send, recv, recv_counts, recv_displs, datatype, comm  See anyccl_all_gather_v; the buffers belong
///        to the library during each run, arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Allgatherv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_v_init(
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_gather_v_init", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe { blocks(caller, send, recv, recv_counts, recv_displs) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(arguments(datatype, comm).with(describe), request) }
    })
}

fn arguments(datatype: anyccl_datatype_t, comm: anyccl_comm_t) -> Arguments {
    Arguments::plain(Collective::AllGatherV, datatype, comm)
}

/// # Safety
/// The arrays are NULL or have an element per rank.
unsafe fn blocks(
    caller: Caller,
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    recv_displs: *const usize,
) -> Result<Blocks<'static>> {
    // SAFETY: passed on from our caller.
    let output = unsafe { blocks::blocks(recv_counts, recv_displs, caller.size, "recv_counts") }?;
    let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
    Ok(Blocks::of_ranks(one(output[caller.rank].len), output, places))
}
