//! Scatter_v: the root has a part of any length for everybody.

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

/// Cuts the elements of the root into parts of different lengths, one for each rank.
///
///     before  send            after  recv
///     rank 0  -               rank 0  b0 b1
///     rank 1  b0 b1 b2  =>    rank 1  -                root 1, send_counts 2 0 1
///     rank 2  -               rank 2  b2
///
/// \param send         [in] At the root: for each rank r, send_counts[r] elements from element send_displs[r]
///                     on. Read only. Not used elsewhere: may be NULL.
/// \param recv         [out] recv_count elements.
/// \param send_counts  [in] At the root: size numbers of elements. Not used elsewhere: may be NULL.
/// \param send_displs  [in] At the root: size numbers of elements; NULL: the blocks lie one after the other.
///                     Not used elsewhere.
/// \param recv_count   [in] Elements that this rank receives: what the root has in send_counts for it.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param root         [in] 0 to size-1. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. The root may return before the others have
/// come. Where a rank expects another number of elements than the root sends, both are named by
/// ANYCCL_ERR_MISMATCH on every rank. In place: recv == send + send_displs[root] elements at the root. Any
/// other overlap is refused. Replacement for MPI_Scatterv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_scatter_v(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_scatter_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe =
            |caller: Caller| unsafe { blocks(caller, send, recv, send_counts, send_displs, recv_count) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(arguments(datatype, root, comm).with(describe), None) }
    })
}

/// Starts a scatter_v and returns at once.
///
/// \param send, recv, send_counts, send_displs, recv_count, datatype, root, comm  See anyccl_scatter_v;
///        the buffers belong to the library until the request has ended, the arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Iscatterv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iscatter_v(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_iscatter_v", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe =
            |caller: Caller| unsafe { blocks(caller, send, recv, send_counts, send_displs, recv_count) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(arguments(datatype, root, comm).with(describe), request) }
    })
}

/// Prepares a scatter_v that is started later, and often.
///
/// \param send, recv, send_counts, send_displs, recv_count, datatype, root, comm  See anyccl_scatter_v; the
///        buffers belong to the library during each run, arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Scatterv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_scatter_v_init(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_count: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_scatter_v_init", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe =
            |caller: Caller| unsafe { blocks(caller, send, recv, send_counts, send_displs, recv_count) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(arguments(datatype, root, comm).with(describe), request) }
    })
}

fn arguments(datatype: anyccl_datatype_t, root: c_int, comm: anyccl_comm_t) -> Arguments {
    Arguments { root: Some(root), ..Arguments::plain(Collective::ScatterV, datatype, comm) }
}

/// # Safety
/// At the root, the arrays are NULL or have an element per rank.
unsafe fn blocks(
    caller: Caller,
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_count: usize,
) -> Result<Blocks<'static>> {
    let input = match caller.is_root {
        // SAFETY: passed on from our caller.
        true => unsafe { blocks::blocks(send_counts, send_displs, caller.size, "send_counts") }?,
        false => Vec::new(),
    };
    let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
    Ok(Blocks::of_ranks(input, one(recv_count), places))
}
