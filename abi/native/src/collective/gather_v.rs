//! Gather_v: every rank contributes a block of its own length, and the root gets all blocks.

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

/// Collects blocks of different lengths at the root.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  -
///     rank 1  -         =>    rank 1  a0 a1 c0         root 1, recv_counts 2 0 1
///     rank 2  c0              rank 2  -
///
/// \param[in]  send         Block of this rank, send_count elements.
/// \param[out] recv         At the root: for each rank r, recv_counts[r] elements from element recv_displs[r]
///                          on. Elements between the blocks do not change. Not used on the other ranks: may
///                          be NULL.
/// \param[in]  send_count   Elements of the block of this rank.
/// \param[in]  recv_counts  At the root: the send_count of each rank, size numbers. Not used on the other
///                          ranks: may be NULL.
/// \param[in]  recv_displs  At the root: offset of each block, size numbers, or NULL. Not used on the other
///                          ranks.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  root         Rank that gets the blocks.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv + recv_displs[root] elements at the root. Replacement for MPI_Gatherv.
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

/// Nonblocking form of anyccl_gather_v(): see \ref nonblocking in request.h. Replacement for MPI_Igatherv.
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

/// Persistent form of anyccl_gather_v(): see \ref persistent in request.h. Replacement for MPI_Gatherv_init.
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
