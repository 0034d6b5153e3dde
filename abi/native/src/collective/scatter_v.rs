//! Scatter_v: every rank gets a block of any length of the root.

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

/// Distributes blocks of different lengths from the root to all ranks.
///
///     before  send            after  recv
///     rank 0  -               rank 0  b0 b1
///     rank 1  b0 b1 b2  =>    rank 1  -                root 1, send_counts 2 0 1
///     rank 2  -               rank 2  b2
///
/// \param[in]  send         At the root: for each rank r, send_counts[r] elements from element send_displs[r]
///                          on. Not used on the other ranks: may be NULL.
/// \param[out] recv         Block of this rank, recv_count elements.
/// \param[in]  send_counts  At the root: the recv_count of each rank, size numbers. Not used on the other
///                          ranks: may be NULL.
/// \param[in]  send_displs  At the root: offset of each block, size numbers, or NULL. Not used on the other
///                          ranks.
/// \param[in]  recv_count   Elements of the block of this rank.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  root         Rank that sends the blocks.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: recv == send + send_displs[root] elements at the root. Replacement for MPI_Scatterv.
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

/// Nonblocking form of anyccl_scatter_v(): see \ref nonblocking in request.h. Replacement for MPI_Iscatterv.
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

/// Persistent form of anyccl_scatter_v(): see \ref persistent in request.h. Replacement for
/// MPI_Scatterv_init.
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
