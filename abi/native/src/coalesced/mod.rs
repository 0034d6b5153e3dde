//! Coalesced collectives: one call on a list of buffers, few messages.

mod lists;

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;
use lists::Lists;
pub use lists::{array, of_buffer};

use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;
use crate::reduce_op::anyccl_reduce_op_t;

forms! {
    /// Combines the elements of all ranks, for each buffer of a list; every rank gets the results.
    ///
    ///     rank 0  a0 a1 | b0 | c0 c1 c2           S0 S1 | T0 | U0 U1 U2
    ///     rank 1  a0 a1 | b0 | c0 c1 c2    =>     S0 S1 | T0 | U0 U1 U2
    ///
    /// \param[in]  sends     Array of pointers: sends[i] has counts[i] elements.
    /// \param[out] recvs     Array of pointers: recvs[i] takes counts[i] elements. In place: recvs[i] ==
    ///                       sends[i].
    /// \param[in]  counts    Elements of each buffer. 0 is allowed.
    /// \param[in]  buffers   Length of the three arrays. 0: they may be NULL.
    /// \param[in]  datatype  Datatype of all elements.
    /// \param[in]  op        Operator that accepts datatype.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective; see \ref coalesced. Replacement for many small calls between ncclGroupStart and
    /// ncclGroupEnd, and for torch.distributed.all_reduce_coalesced.
    fn anyccl_all_reduce_coalesced(
        sends: *const *const c_void,
        recvs: *const *mut c_void,
        counts: *const usize,
        buffers: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Lists::plain(Collective::AllReduce, sends, recvs, counts, buffers, datatype, comm).with_op(op)
    }
    nonblocking anyccl_iall_reduce_coalesced;
    persistent anyccl_all_reduce_coalesced_init;
}

forms! {
    /// Copies the elements of the root to every rank, for each buffer of a list.
    ///
    /// \param[in]  sends     Array of pointers at the root: sends[i] has counts[i] elements. Not used on the
    ///                       other ranks: may be NULL.
    /// \param[out] recvs     Array of pointers: recvs[i] takes counts[i] elements. In place: recvs[i] ==
    ///                       sends[i] at the root.
    /// \param[in]  counts    Elements of each buffer. 0 is allowed.
    /// \param[in]  buffers   Length of the three arrays. 0: they may be NULL.
    /// \param[in]  datatype  Datatype of all elements.
    /// \param[in]  root      Rank that sends.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective; see \ref coalesced.
    fn anyccl_broadcast_coalesced(
        sends: *const *const c_void,
        recvs: *const *mut c_void,
        counts: *const usize,
        buffers: usize,
        datatype: anyccl_datatype_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Lists::plain(Collective::Broadcast, sends, recvs, counts, buffers, datatype, comm).with_root(root)
    }
    nonblocking anyccl_ibroadcast_coalesced;
    persistent anyccl_broadcast_coalesced_init;
}

forms! {
    /// Collects the elements of all ranks on every rank, for each buffer of a list.
    ///
    /// \param[in]  sends        Array of pointers: sends[i] has send_counts[i] elements.
    /// \param[out] recvs        Array of pointers: recvs[i] takes size * send_counts[i] elements, in the
    ///                          order of the ranks. In place: sends[i] == recvs[i] + rank * send_counts[i]
    ///                          elements.
    /// \param[in]  send_counts  Elements that each rank contributes to each buffer. 0 is allowed.
    /// \param[in]  buffers      Length of the three arrays. 0: they may be NULL.
    /// \param[in]  datatype     Datatype of all elements.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective; see \ref coalesced.
    fn anyccl_all_gather_coalesced(
        sends: *const *const c_void,
        recvs: *const *mut c_void,
        send_counts: *const usize,
        buffers: usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Lists::plain(Collective::AllGather, sends, recvs, send_counts, buffers, datatype, comm)
    }
    nonblocking anyccl_iall_gather_coalesced;
    persistent anyccl_all_gather_coalesced_init;
}

forms! {
    /// Combines the elements of all ranks and gives each rank its block, for each buffer of a list.
    ///
    /// \param[in]  sends        Array of pointers: sends[i] has size * recv_counts[i] elements, one block for
    ///                          each rank.
    /// \param[out] recvs        Array of pointers: recvs[i] takes recv_counts[i] elements, the block of this
    ///                          rank. In place: recvs[i] == sends[i] + rank * recv_counts[i] elements.
    /// \param[in]  recv_counts  Elements that each rank gets of each buffer. 0 is allowed.
    /// \param[in]  buffers      Length of the three arrays. 0: they may be NULL.
    /// \param[in]  datatype     Datatype of all elements.
    /// \param[in]  op           Operator that accepts datatype.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective; see \ref coalesced.
    fn anyccl_reduce_scatter_coalesced(
        sends: *const *const c_void,
        recvs: *const *mut c_void,
        recv_counts: *const usize,
        buffers: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Lists::plain(Collective::ReduceScatter, sends, recvs, recv_counts, buffers, datatype, comm)
            .with_op(op)
    }
    nonblocking anyccl_ireduce_scatter_coalesced;
    persistent anyccl_reduce_scatter_coalesced_init;
}
