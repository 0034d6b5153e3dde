//! All_to_all_v: everybody has a part of any length for everybody.

use std::ffi::c_void;

use anyccl_edge::blocks;
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::Places;

use super::unequal::{Arguments, Blocks, Caller};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Every rank sends every rank a part of its own, of any length.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  a0 b0        send_counts of rank 0: 1 2
///     rank 1  b0        =>    rank 1  a1 a2        send_counts of rank 1: 1 0
///
/// \param send         [in] For each rank r, send_counts[r] elements from element send_displs[r] on. Read
///                     only.
/// \param recv         [out] For each rank r, recv_counts[r] elements from element recv_displs[r] on. What
///                     lies between these blocks is left alone.
/// \param send_counts  [in] size numbers of elements.
/// \param send_displs  [in] size numbers of elements; NULL: the blocks lie one after the other.
/// \param recv_counts  [in] size numbers of elements: recv_counts[r] here is send_counts of this rank there.
/// \param recv_displs  [in] size numbers of elements; NULL: the blocks lie one after the other.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. Where a rank expects another number of
/// elements than another one sends, both are named by ANYCCL_ERR_MISMATCH on every rank. In place: a block of
/// send is identical with the block of recv from the same rank, address and length. Any other overlap is
/// refused, also among the blocks of recv. Replacement for MPI_Alltoallv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_to_all_v(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_all_to_all_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe {
            blocks(caller, send, recv, send_counts, send_displs, recv_counts, recv_displs)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(arguments(datatype, comm).with(describe), None) }
    })
}

/// Starts an all_to_all_v and returns at once.
///
/// \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, comm  See
///        anyccl_all_to_all_v; the buffers belong to the library until the request has ended, the arrays do
///        not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ialltoallv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_to_all_v(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_iall_to_all_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe {
            blocks(caller, send, recv, send_counts, send_displs, recv_counts, recv_displs)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(arguments(datatype, comm).with(describe), request) }
    })
}

/// Prepares an all_to_all_v that is started later, and often.
///
/// \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, comm  See
///        anyccl_all_to_all_v; the buffers belong to the library during each run, arrays only during this
///        call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Alltoallv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_to_all_v_init(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_to_all_v_init", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe {
            blocks(caller, send, recv, send_counts, send_displs, recv_counts, recv_displs)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(arguments(datatype, comm).with(describe), request) }
    })
}

fn arguments(datatype: anyccl_datatype_t, comm: anyccl_comm_t) -> Arguments {
    Arguments::plain(Collective::AllToAllV, datatype, comm)
}

/// # Safety
/// The arrays are NULL or have an element per rank.
unsafe fn blocks(
    caller: Caller,
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
) -> Result<Blocks<'static>> {
    // SAFETY: passed on from our caller.
    let input = unsafe { blocks::blocks(send_counts, send_displs, caller.size, "send_counts") }?;
    // SAFETY: as above.
    let output = unsafe { blocks::blocks(recv_counts, recv_displs, caller.size, "recv_counts") }?;
    let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
    Ok(Blocks::of_ranks(input, output, places))
}
