//! Coalesced collectives: one call on a list of buffers, few messages.

mod lists;

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;
use lists::Lists;
pub use lists::{array, of_buffer};

use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks, for each buffer of a list; every rank gets the results.
///
///     rank 0  a0 a1 | b0 | c0 c1 c2           S0 S1 | T0 | U0 U1 U2
///     rank 1  a0 a1 | b0 | c0 c1 c2    =>     S0 S1 | T0 | U0 U1 U2
///
/// \param sends        [in] As many pointers as there are buffers: where counts[i] elements are read.
/// \param recvs        [out] As many pointers: where counts[i] elements are written. recvs[i] == sends[i]: in
///                     place.
/// \param counts       [in] Elements of each buffer, the same on every rank. 0 is allowed.
/// \param buffers      [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
/// \param datatype     [in] One of enum anyccl_datatype, the same on every rank.
/// \param op           [in] See anyccl_all_reduce.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns See anyccl_all_reduce. The list of counts is part of what ranks must agree on: where it differs,
///          every rank gets ANYCCL_ERR_MISMATCH and a sentence that names both lists by their number of
///          buffers and a hash.
///
/// Collective. The call blocks until all buffers are done. Gives what anyccl_all_reduce on each buffer gives,
/// up to the order in which floats are summed, in fewer messages: small buffers are packed together, large
/// ones go side by side. The arrays themselves are read during the call only. Buffers must not overlap each
/// other, but for in place. Replacement for ncclGroupStart ... ncclGroupEnd around many small calls, and
/// torch.distributed.all_reduce_coalesced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_reduce_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    let arguments = Lists {
        op: Some(op),
        ..Lists::plain(Collective::AllReduce, sends, recvs, counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays and buffers of the documented lengths, used by nobody else during
    // the call.
    edge("anyccl_all_reduce_coalesced", || unsafe { invocation::run(arguments, None) })
}

/// Starts an all_reduce of a list of buffers and returns at once.
///
/// \param sends, recvs, counts, buffers, datatype, op, comm  See anyccl_all_reduce_coalesced; the buffers
///        belong to the library until the request has ended, the arrays only during this call.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns See anyccl_iall_reduce.
///
/// Collective. The call does not block, but packs small buffers now. The results of packed ones are there
/// when the request has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_reduce_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists {
        op: Some(op),
        ..Lists::plain(Collective::AllReduce, sends, recvs, counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses until the
    // request has ended, and a writable request or NULL.
    edge("anyccl_iall_reduce_coalesced", || unsafe { invocation::start(arguments, request) })
}

/// Prepares an all_reduce_coalesced that is started later, and often.
///
/// \param sends, recvs, counts, buffers, datatype, op, comm  See anyccl_all_reduce_coalesced; the buffers
///        belong to the library during each run, the arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own, which packs small buffers when it is started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_reduce_coalesced_init(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists {
        op: Some(op),
        ..Lists::plain(Collective::AllReduce, sends, recvs, counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses during each
    // run, and a writable request or NULL.
    edge("anyccl_all_reduce_coalesced_init", || unsafe { invocation::prepare(arguments, request) })
}

/// Gives all ranks the elements of the root, for each buffer of a list.
///
/// \param sends     [in] At the root: counts[i] elements each. Elsewhere not used, may be NULL.
/// \param recvs     [out] counts[i] elements each. At the root, recvs[i] == sends[i] is in place.
/// \param counts, buffers, datatype  [in] See anyccl_all_reduce_coalesced.
/// \param root      [in] The rank that sends, the same on every rank.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns See anyccl_all_reduce_coalesced.
///
/// Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_broadcast_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    let arguments = Lists {
        root: Some(root),
        ..Lists::plain(Collective::Broadcast, sends, recvs, counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays and buffers of the documented lengths, used by nobody else during
    // the call.
    edge("anyccl_broadcast_coalesced", || unsafe { invocation::run(arguments, None) })
}

/// Starts a broadcast of a list of buffers and returns at once.
///
/// \param sends, recvs, counts, buffers, datatype, root, comm  See anyccl_broadcast_coalesced; the buffers
///        belong to the library until the request has ended, the arrays only during this call.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns See anyccl_ibroadcast.
///
/// Collective. The call does not block, but packs small buffers now. The results of packed ones are there
/// when the request has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ibroadcast_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists {
        root: Some(root),
        ..Lists::plain(Collective::Broadcast, sends, recvs, counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses until the
    // request has ended, and a writable request or NULL.
    edge("anyccl_ibroadcast_coalesced", || unsafe { invocation::start(arguments, request) })
}

/// Prepares a broadcast_coalesced that is started later, and often.
///
/// \param sends, recvs, counts, buffers, datatype, root, comm  See anyccl_broadcast_coalesced; the buffers
///        belong to the library during each run, the arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own, which packs small buffers when it is started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_broadcast_coalesced_init(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists {
        root: Some(root),
        ..Lists::plain(Collective::Broadcast, sends, recvs, counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses during each
    // run, and a writable request or NULL.
    edge("anyccl_broadcast_coalesced_init", || unsafe { invocation::prepare(arguments, request) })
}

/// Gives all ranks the elements of every rank, for each buffer of a list.
///
/// \param sends        [in] send_counts[i] elements each.
/// \param recvs        [out] size * send_counts[i] elements each, in the order of the ranks. In place:
///                     sends[i] == recvs[i] + rank * send_counts[i] elements.
/// \param send_counts  [in] Elements that each rank gives for each buffer, the same on every rank.
/// \param buffers, datatype, comm  [in] See anyccl_all_reduce_coalesced.
/// \returns See anyccl_all_reduce_coalesced.
///
/// Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    let arguments = Lists::plain(Collective::AllGather, sends, recvs, send_counts, buffers, datatype, comm);
    // SAFETY: the caller promises arrays and buffers of the documented lengths, used by nobody else during
    // the call.
    edge("anyccl_all_gather_coalesced", || unsafe { invocation::run(arguments, None) })
}

/// Starts an all_gather of a list of buffers and returns at once.
///
/// \param sends, recvs, send_counts, buffers, datatype, comm  See anyccl_all_gather_coalesced; the buffers
///        belong to the library until the request has ended, the arrays only during this call.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns See anyccl_iall_gather.
///
/// Collective. The call does not block, but packs small buffers now. The results of packed ones are there
/// when the request has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_gather_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists::plain(Collective::AllGather, sends, recvs, send_counts, buffers, datatype, comm);
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses until the
    // request has ended, and a writable request or NULL.
    edge("anyccl_iall_gather_coalesced", || unsafe { invocation::start(arguments, request) })
}

/// Prepares an all_gather_coalesced that is started later, and often.
///
/// \param sends, recvs, send_counts, buffers, datatype, comm  See anyccl_all_gather_coalesced; the buffers
///        belong to the library during each run, the arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own, which packs small buffers when it is started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_gather_coalesced_init(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    send_counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists::plain(Collective::AllGather, sends, recvs, send_counts, buffers, datatype, comm);
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses during each
    // run, and a writable request or NULL.
    edge("anyccl_all_gather_coalesced_init", || unsafe { invocation::prepare(arguments, request) })
}

/// Combines the elements of all ranks and gives each rank its block, for each buffer of a list.
///
/// \param sends        [in] size * recv_counts[i] elements each: a block per rank.
/// \param recvs        [out] recv_counts[i] elements each: block number rank of the result. In place:
///                     recvs[i] == sends[i] + rank * recv_counts[i] elements.
/// \param recv_counts  [in] Elements that each rank gets of each buffer, the same on every rank.
/// \param buffers, datatype, op, comm  [in] See anyccl_all_reduce_coalesced.
/// \returns See anyccl_all_reduce_coalesced.
///
/// Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_scatter_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    let arguments = Lists {
        op: Some(op),
        ..Lists::plain(Collective::ReduceScatter, sends, recvs, recv_counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays and buffers of the documented lengths, used by nobody else during
    // the call.
    edge("anyccl_reduce_scatter_coalesced", || unsafe { invocation::run(arguments, None) })
}

/// Starts a reduce_scatter of a list of buffers and returns at once.
///
/// \param sends, recvs, recv_counts, buffers, datatype, op, comm  See anyccl_reduce_scatter_coalesced; the
///        buffers belong to the library until the request has ended, the arrays only during this call.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns See anyccl_ireduce_scatter.
///
/// Collective. The call does not block, but packs small buffers now. The results of packed ones are there
/// when the request has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ireduce_scatter_coalesced(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists {
        op: Some(op),
        ..Lists::plain(Collective::ReduceScatter, sends, recvs, recv_counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses until the
    // request has ended, and a writable request or NULL.
    edge("anyccl_ireduce_scatter_coalesced", || unsafe { invocation::start(arguments, request) })
}

/// Prepares a reduce_scatter_coalesced that is started later, and often.
///
/// \param sends, recvs, recv_counts, buffers, datatype, op, comm  See anyccl_reduce_scatter_coalesced; the
///        buffers belong to the library during each run, the arrays only during this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own, which packs small buffers when it is started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce_scatter_coalesced_init(
    sends: *const *const c_void,
    recvs: *const *mut c_void,
    recv_counts: *const usize,
    buffers: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    let arguments = Lists {
        op: Some(op),
        ..Lists::plain(Collective::ReduceScatter, sends, recvs, recv_counts, buffers, datatype, comm)
    };
    // SAFETY: the caller promises arrays of the documented lengths, buffers that nobody else uses during each
    // run, and a writable request or NULL.
    edge("anyccl_reduce_scatter_coalesced_init", || unsafe { invocation::prepare(arguments, request) })
}
