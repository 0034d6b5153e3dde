//! Gather_v: everybody has a part of its own length, the root gets all parts.

use std::ffi::{c_int, c_void};

use anyccl_edge::blocks;
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::Places;

use super::unequal::{Arguments, Blocks, Caller, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Collects the elements of all ranks at the root; ranks may have different numbers of them.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  -
///     rank 1  -         =>    rank 1  a0 a1 c0         root 1, recv_counts 2 0 1
///     rank 2  c0              rank 2  -
///
/// \param send         [in] send_count elements. Read only.
/// \param recv         [out] At the root: for each rank r, recv_counts[r] elements from element
///                     recv_displs[r] on. What lies between these blocks is left alone. Not used elsewhere:
///                     may be NULL.
/// \param send_count   [in] Elements that this rank sends: what the root has in recv_counts for it.
/// \param recv_counts  [in] At the root: size numbers of elements. Not used elsewhere: may be NULL.
/// \param recv_displs  [in] At the root: size numbers of elements; NULL: the blocks lie one after the other.
///                     Not used elsewhere.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param root         [in] 0 to size-1. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
/// the others have come. Where the root expects another number of elements than a rank sends, both are named
/// by ANYCCL_ERR_MISMATCH on every rank. In place: send == recv + recv_displs[root] elements at the root. Any
/// other overlap is refused. Replacement for MPI_Gatherv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_gather_v(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_gather_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe =
            |caller: Caller| unsafe { blocks(caller, send, recv, send_count, recv_counts, recv_displs) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(arguments(datatype, root, comm).with(describe), None) }
    })
}

/// Starts a gather_v and returns at once.
///
/// \param send, recv, send_count, recv_counts, recv_displs, datatype, root, comm  See anyccl_gather_v; the
///        buffers belong to the library until the request has ended, the arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Igatherv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_igather_v(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_igather_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe =
            |caller: Caller| unsafe { blocks(caller, send, recv, send_count, recv_counts, recv_displs) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(arguments(datatype, root, comm).with(describe), request) }
    })
}

/// Prepares a gather_v that is started later, and often.
///
/// \param send, recv, send_count, recv_counts, recv_displs, datatype, root, comm  See anyccl_gather_v; the
///        buffers belong to the library during each run, arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Gatherv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_gather_v_init(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_gather_v_init", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe =
            |caller: Caller| unsafe { blocks(caller, send, recv, send_count, recv_counts, recv_displs) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(arguments(datatype, root, comm).with(describe), request) }
    })
}

fn arguments(datatype: anyccl_datatype_t, root: c_int, comm: anyccl_comm_t) -> Arguments {
    Arguments { root: Some(root), ..Arguments::plain(Collective::GatherV, datatype, comm) }
}

/// # Safety
/// At the root, the arrays are NULL or have an element per rank.
unsafe fn blocks(
    caller: Caller,
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
) -> Result<Blocks<'static>> {
    let output = match caller.is_root {
        // SAFETY: passed on from our caller.
        true => unsafe { blocks::blocks(recv_counts, recv_displs, caller.size, "recv_counts") }?,
        false => Vec::new(),
    };
    let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
    Ok(Blocks::of_ranks(one(send_count), output, places))
}
