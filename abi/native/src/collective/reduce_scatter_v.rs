//! Reduce_scatter_v: everybody combines, everybody gets a part of its own length.

use std::ffi::c_void;

use anyccl_edge::blocks::{array, packed};
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::Places;

use super::unequal::{Arguments, Blocks, Caller, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks; every rank gets a part of the result, of a length of its own.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  S0 S1
///     rank 1  b0 b1 b2  =>    rank 1  -          Sk = ak op bk op ck; recv_counts 2 0 1
///     rank 2  c0 c1 c2        rank 2  S2
///
/// \param send         [in] As many elements as all recv_counts together, part by part. Read only.
/// \param recv         [out] recv_counts[rank] elements.
/// \param recv_counts  [in] size numbers of elements. The same on every rank.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param op           [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: recv is this rank's part of send;
/// the rest of send is left as it was. Any other overlap is refused. Replacement for MPI_Reduce_scatter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_scatter_v(
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_reduce_scatter_v", || {
        // SAFETY: the caller promises an array of the documented length.
        let describe = |caller: Caller| unsafe { blocks(caller, send, recv, recv_counts) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(arguments(datatype, op, comm).with(describe), None) }
    })
}

/// Starts a reduce_scatter_v and returns at once.
///
/// \param send, recv, recv_counts, datatype, op, comm  See anyccl_reduce_scatter_v; the
///        buffers belong to the library until the request has ended, the arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ireduce_scatter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ireduce_scatter_v(
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_ireduce_scatter_v", || {
        // SAFETY: the caller promises an array of the documented length.
        let describe = |caller: Caller| unsafe { blocks(caller, send, recv, recv_counts) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(arguments(datatype, op, comm).with(describe), request) }
    })
}

/// Prepares a reduce_scatter_v that is started later, and often.
///
/// \param send, recv, recv_counts, datatype, op, comm  See anyccl_reduce_scatter_v; the buffers belong to
///        the library during each run, arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Reduce_scatter_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_scatter_v_init(
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_reduce_scatter_v_init", || {
        // SAFETY: the caller promises an array of the documented length.
        let describe = |caller: Caller| unsafe { blocks(caller, send, recv, recv_counts) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(arguments(datatype, op, comm).with(describe), request) }
    })
}

fn arguments(datatype: anyccl_datatype_t, op: anyccl_reduce_op_t, comm: anyccl_comm_t) -> Arguments {
    Arguments { op: Some(op), ..Arguments::plain(Collective::ReduceScatterV, datatype, comm) }
}

/// # Safety
/// The array is NULL or has an element per rank.
unsafe fn blocks(
    caller: Caller,
    send: *const c_void,
    recv: *mut c_void,
    recv_counts: *const usize,
) -> Result<Blocks<'static>> {
    // SAFETY: passed on from our caller.
    let input = packed(unsafe { array(recv_counts, caller.size, "recv_counts") }?, "recv_counts")?;
    let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
    let own = one(input[caller.rank].len);
    Ok(Blocks::of_ranks(input, own, places))
}
