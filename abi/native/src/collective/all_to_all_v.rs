//! All_to_all_v: every rank sends a block of any length to every rank.

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

/// Sends a block of any length from every rank to every rank.
///
///     before  send            after  recv
///     rank 0  a0 a1 a2        rank 0  a0 b0        send_counts of rank 0: 1 2
///     rank 1  b0        =>    rank 1  a1 a2        send_counts of rank 1: 1 0
///
/// \param[in]  send         For each rank r, send_counts[r] elements from element send_displs[r] on.
/// \param[out] recv         For each rank r, recv_counts[r] elements from element recv_displs[r] on. Elements
///                          between the blocks do not change.
/// \param[in]  send_counts  Length of the block for each rank, size numbers.
/// \param[in]  send_displs  Offset of the block for each rank, size numbers, or NULL.
/// \param[in]  recv_counts  Length of the block from each rank, size numbers: recv_counts[r] is what rank r
///                          has in its send_counts for this rank.
/// \param[in]  recv_displs  Offset of the block from each rank, size numbers, or NULL.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: a block of send has the address and the length of the block of recv of the same
/// rank. Blocks of recv must not overlap. Replacement for MPI_Alltoallv.
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

/// Nonblocking form of anyccl_all_to_all_v(): see \ref nonblocking in request.h. Replacement for
/// MPI_Ialltoallv.
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

/// Persistent form of anyccl_all_to_all_v(): see \ref persistent in request.h. Replacement for
/// MPI_Alltoallv_init.
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
