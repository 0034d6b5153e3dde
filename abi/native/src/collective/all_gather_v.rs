//! All_gather_v: every rank contributes a block of its own length, and every rank gets all blocks.

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

/// Collects blocks of different lengths on every rank.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  a0 a1 c0
///     rank 1  -         =>    rank 1  a0 a1 c0         recv_counts 2 0 1
///     rank 2  c0              rank 2  a0 a1 c0
///
/// \param[in]  send         Block of this rank, recv_counts[rank] elements.
/// \param[out] recv         For each rank r, recv_counts[r] elements from element recv_displs[r] on. Elements
///                          between the blocks do not change.
/// \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
/// \param[in]  recv_displs  Offset of each block, size numbers, or NULL. Ranks may have different ones.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv + recv_displs[rank] elements. Blocks of recv must not overlap.
/// Replacement for MPI_Allgatherv.
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

/// Nonblocking form of anyccl_all_gather_v(): see \ref nonblocking in request.h. Replacement for
/// MPI_Iallgatherv.
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

/// Persistent form of anyccl_all_gather_v(): see \ref persistent in request.h. Replacement for
/// MPI_Allgatherv_init.
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
