//! Calls whose blocks lie in separate memory: a pointer for each block.

use std::ffi::c_void;

use anyccl_edge::blocks::{array, packed};
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::Places;

use super::unequal::{Arguments, Blocks, Caller, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Sends a block of any length from every rank to every rank; each block has memory of its own.
///
/// \param[in]  sends        Array of size pointers: sends[r] has send_counts[r] elements for rank r. A
///                          pointer to no elements may be NULL.
/// \param[out] recvs        Array of size pointers: recvs[r] takes recv_counts[r] elements from rank r. A
///                          pointer to no elements may be NULL.
/// \param[in]  send_counts  Length of the block for each rank, size numbers.
/// \param[in]  recv_counts  Length of the block from each rank, size numbers: recv_counts[r] is what rank r
///                          has in its send_counts for this rank.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures. Lengths must agree: see \ref lengths.
///
/// Collective. In place: sends[r] == recvs[r], with the same count. Other ranks may call
/// anyccl_all_to_all_v() instead. Replacement for the all_to_all of torch.distributed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_to_all_list(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_all_to_all_list", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe {
            all_to_all_list_blocks(caller, sends, recvs, send_counts, recv_counts)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(to_all(datatype, comm).with(describe), None) }
    })
}

/// Nonblocking form of anyccl_all_to_all_list(): see \ref nonblocking in request.h. Replacement for
/// MPI_Ialltoallw.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_to_all_list(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_iall_to_all_list", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe {
            all_to_all_list_blocks(caller, sends, recvs, send_counts, recv_counts)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(to_all(datatype, comm).with(describe), request) }
    })
}

/// Persistent form of anyccl_all_to_all_list(): see \ref persistent in request.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_to_all_list_init(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_to_all_list_init", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe {
            all_to_all_list_blocks(caller, sends, recvs, send_counts, recv_counts)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(to_all(datatype, comm).with(describe), request) }
    })
}

/// Collects blocks of different lengths on every rank; each block has memory of its own.
///
/// \param[in]  send         Block of this rank, recv_counts[rank] elements.
/// \param[out] recvs        Array of size pointers: recvs[r] takes recv_counts[r] elements from rank r. A
///                          pointer to no elements may be NULL.
/// \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recvs[rank]. Other ranks may call anyccl_all_gather_v() instead. Replacement
/// for the all_gather of torch.distributed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_list(
    send: *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_all_gather_list", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe { all_gather_list_blocks(caller, &send, recvs, recv_counts) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe { invocation::run(gather(datatype, comm).with(describe), None) }
    })
}

/// Nonblocking form of anyccl_all_gather_list(): see \ref nonblocking in request.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_gather_list(
    send: *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_iall_gather_list", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe { all_gather_list_blocks(caller, &send, recvs, recv_counts) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe { invocation::start(gather(datatype, comm).with(describe), request) }
    })
}

/// Persistent form of anyccl_all_gather_list(): see \ref persistent in request.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_list_init(
    send: *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_all_gather_list_init", || {
        // SAFETY: the caller promises arrays of the documented length.
        let describe = |caller: Caller| unsafe { all_gather_list_blocks(caller, &send, recvs, recv_counts) };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe { invocation::prepare(gather(datatype, comm).with(describe), request) }
    })
}

fn to_all(datatype: anyccl_datatype_t, comm: anyccl_comm_t) -> Arguments {
    Arguments::plain(Collective::AllToAllV, datatype, comm)
}

fn gather(datatype: anyccl_datatype_t, comm: anyccl_comm_t) -> Arguments {
    Arguments::plain(Collective::AllGatherV, datatype, comm)
}

/// # Safety
/// The arrays are NULL or have an element per rank, for as long as the blocks are used.
unsafe fn all_to_all_list_blocks<'a>(
    caller: Caller,
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    recv_counts: *const usize,
) -> Result<Blocks<'a>> {
    // SAFETY: passed on from our caller; a pointer to void and one to bytes are the same.
    let sends = unsafe { array(sends.cast::<*const u8>(), caller.size, "sends") }?;
    // SAFETY: as above.
    let recvs = unsafe { array(recvs.cast::<*mut u8>(), caller.size, "recvs") }?;
    // SAFETY: as above.
    let input = packed(unsafe { array(send_counts, caller.size, "send_counts") }?, "send_counts")?;
    // SAFETY: as above.
    let output = packed(unsafe { array(recv_counts, caller.size, "recv_counts") }?, "recv_counts")?;
    Ok(Blocks::of_ranks(input, output, Places::Lists { sends, recvs }))
}

/// # Safety
/// The arrays are NULL or have an element per rank, for as long as the blocks are used.
unsafe fn all_gather_list_blocks<'a>(
    caller: Caller,
    send: &'a *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
) -> Result<Blocks<'a>> {
    // SAFETY: a reference to one pointer; a pointer to void and one to bytes are the same.
    let sends = unsafe { array((&raw const *send).cast::<*const u8>(), 1, "send") }?;
    // SAFETY: passed on from our caller.
    let recvs = unsafe { array(recvs.cast::<*mut u8>(), caller.size, "recvs") }?;
    // SAFETY: as above.
    let output = packed(unsafe { array(recv_counts, caller.size, "recv_counts") }?, "recv_counts")?;
    let own = one(output[caller.rank].len);
    Ok(Blocks::of_ranks(own, output, Places::Lists { sends, recvs }))
}
