//! Reduce_scatter_v: every rank contributes, and every rank gets a block of its own length of the result.

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

/// Combines the elements of all ranks; every rank gets a block of its own length of the result.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  S0 S1
///     rank 1  b0 b1 b2  =>    rank 1  -          Sk = ak op bk op ck; recv_counts 2 0 1
///     rank 2  c0 c1 c2        rank 2  S2
///
/// \param[in]  send         Contribution of this rank: as many elements as the sum of recv_counts.
/// \param[out] recv         Block of this rank, recv_counts[rank] elements.
/// \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  op           Operator that accepts datatype.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: recv is the block of this rank in send; the rest of send does not change.
/// Replacement for MPI_Reduce_scatter.
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

/// Nonblocking form of anyccl_reduce_scatter_v(): see \ref nonblocking in request.h. Replacement for
/// MPI_Ireduce_scatter.
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

/// Persistent form of anyccl_reduce_scatter_v(): see \ref persistent in request.h. Replacement for
/// MPI_Reduce_scatter_init.
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
