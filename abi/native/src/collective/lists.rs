//! Lists: calls whose blocks each have a pointer of their own.

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

/// Every rank sends every rank a part of its own, each in memory of its own: lists of tensors.
///
/// \param sends        [in] size pointers: sends[r] has send_counts[r] elements for rank r. Read only. A
///                     pointer to no elements may be NULL.
/// \param recvs        [out] size pointers: recvs[r] takes recv_counts[r] elements from rank r. A pointer to
///                     no elements may be NULL.
/// \param send_counts  [in] size numbers of elements.
/// \param recv_counts  [in] size numbers of elements: recv_counts[r] here is send_counts of this rank there.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. Where a rank expects another number of
/// elements than another one sends, both are named by ANYCCL_ERR_MISMATCH on every rank. In place: sends[r]
/// == recvs[r], with the same count. Any other overlap is refused. Other ranks may call anyccl_all_to_all_v
/// instead. Replacement for torch.distributed's all_to_all.
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

/// Starts an all_to_all_list and returns at once.
///
/// \param sends, recvs, send_counts, recv_counts, datatype, comm  See anyccl_all_to_all_list; the
///        memory belongs to the library until the request has ended, the arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ialltoallw.
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

/// Prepares an all_to_all_list that is started later, and often.
///
/// \param sends, recvs, send_counts, recv_counts, datatype, comm  See anyccl_all_to_all_list; the buffers
///        belong to the library during each run, arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own.
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

/// Collects the elements of all ranks on every rank, the elements of each rank in memory of their own.
///
/// \param send         [in] recv_counts[rank] elements. Read only.
/// \param recvs        [out] size pointers: recvs[r] takes recv_counts[r] elements from rank r. A pointer to
///                     no elements may be NULL.
/// \param recv_counts  [in] size numbers of elements. The same on every rank.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: send == recvs[rank]. Any other
/// overlap is refused. Other ranks may call anyccl_all_gather_v instead. Replacement for torch.distributed's
/// all_gather.
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

/// Starts an all_gather_list and returns at once.
///
/// \param send, recvs, recv_counts, datatype, comm  See anyccl_all_gather_list; the
///        memory belongs to the library until the request has ended, the arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
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

/// Prepares an all_gather_list that is started later, and often.
///
/// \param send, recvs, recv_counts, datatype, comm  See anyccl_all_gather_list; the buffers belong to the
///        library during each run, arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own.
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
