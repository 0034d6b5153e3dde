//! Collectives that move blocks of one length: broadcast, all_gather, gather, scatter and all_to_all.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::Arguments;
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;

forms! {
    /// Copies the elements of the root to every rank.
    ///
    ///     before  send            after  recv
    ///     rank 0  - -             rank 0  b0 b1
    ///     rank 1  b0 b1     =>    rank 1  b0 b1      root 1
    ///     rank 2  - -             rank 2  b0 b1
    ///
    /// \param[in]  send      Elements of the root, count of them. Not used on the other ranks: may be NULL,
    ///                       or recv.
    /// \param[out] recv      Elements of the root, count of them.
    /// \param[in]  count     Elements of each buffer.
    /// \param[in]  datatype  Datatype of the elements.
    /// \param[in]  root      Rank that sends.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv. One pointer, given twice on every rank, does what MPI_Bcast does.
    /// Replacement for MPI_Bcast and ncclBroadcast.
    fn anyccl_broadcast(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::Broadcast, send, recv, count, datatype, comm).with_root(root)
    }
    /// Replacement for MPI_Ibcast.
    nonblocking anyccl_ibroadcast;
    /// Replacement for MPI_Bcast_init.
    persistent anyccl_broadcast_init;
}

forms! {
    /// Collects the elements of all ranks on every rank, in the order of the ranks.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  a0 a1 b0 b1 c0 c1
    ///     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1
    ///     rank 2  c0 c1           rank 2  a0 a1 b0 b1 c0 c1
    ///
    /// \param[in]  send        Block of this rank, send_count elements.
    /// \param[out] recv        All blocks, size * send_count elements.
    /// \param[in]  send_count  Elements of each block.
    /// \param[in]  datatype    Datatype of the elements.
    /// \param[in]  comm        Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv + rank * send_count elements. Replacement for MPI_Allgather and
    /// ncclAllGather.
    fn anyccl_all_gather(
        send: *const c_void,
        recv: *mut c_void,
        send_count: usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllGather, send, recv, send_count, datatype, comm)
    }
    /// Replacement for MPI_Iallgather.
    nonblocking anyccl_iall_gather;
    /// Replacement for MPI_Allgather_init.
    persistent anyccl_all_gather_init;
}

forms! {
    /// Collects the elements of all ranks at the root, in the order of the ranks.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  -
    ///     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1      root 1
    ///     rank 2  c0 c1           rank 2  -
    ///
    /// \param[in]  send        Block of this rank, send_count elements.
    /// \param[out] recv        All blocks, size * send_count elements at the root. Not used on the other
    ///                         ranks: may be NULL.
    /// \param[in]  send_count  Elements of each block.
    /// \param[in]  datatype    Datatype of the elements.
    /// \param[in]  root        Rank that gets the blocks.
    /// \param[in]  comm        Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv + root * send_count elements at the root. Replacement for
    /// MPI_Gather and ncclGather.
    fn anyccl_gather(
        send: *const c_void,
        recv: *mut c_void,
        send_count: usize,
        datatype: anyccl_datatype_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::Gather, send, recv, send_count, datatype, comm).with_root(root)
    }
    /// Replacement for MPI_Igather.
    nonblocking anyccl_igather;
    /// Replacement for MPI_Gather_init.
    persistent anyccl_gather_init;
}

forms! {
    /// Distributes the elements of the root to all ranks, in the order of the ranks.
    ///
    ///     before  send                        after  recv
    ///     rank 0  -                           rank 0  a0 a1
    ///     rank 1  a0 a1 b0 b1 c0 c1     =>    rank 1  b0 b1      root 1
    ///     rank 2  -                           rank 2  c0 c1
    ///
    /// \param[in]  send        All blocks, size * recv_count elements at the root. Not used on the other
    ///                         ranks: may be NULL.
    /// \param[out] recv        Block of this rank, recv_count elements.
    /// \param[in]  recv_count  Elements of each block.
    /// \param[in]  datatype    Datatype of the elements.
    /// \param[in]  root        Rank that sends the blocks.
    /// \param[in]  comm        Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: recv == send + root * recv_count elements at the root. Replacement for
    /// MPI_Scatter and ncclScatter.
    fn anyccl_scatter(
        send: *const c_void,
        recv: *mut c_void,
        recv_count: usize,
        datatype: anyccl_datatype_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::Scatter, send, recv, recv_count, datatype, comm).with_root(root)
    }
    /// Replacement for MPI_Iscatter.
    nonblocking anyccl_iscatter;
    /// Replacement for MPI_Scatter_init.
    persistent anyccl_scatter_init;
}

forms! {
    /// Sends block k of every rank to rank k, which gets the blocks in the order of their senders.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1 a2        rank 0  a0 b0 c0
    ///     rank 1  b0 b1 b2  =>    rank 1  a1 b1 c1      count_per_rank 1
    ///     rank 2  c0 c1 c2        rank 2  a2 b2 c2
    ///
    /// \param[in]  send            One block for each rank, size * count_per_rank elements.
    /// \param[out] recv            One block from each rank, size * count_per_rank elements.
    /// \param[in]  count_per_rank  Elements of each block.
    /// \param[in]  datatype        Datatype of the elements.
    /// \param[in]  comm            Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv. Replacement for MPI_Alltoall and ncclAlltoAll.
    fn anyccl_all_to_all(
        send: *const c_void,
        recv: *mut c_void,
        count_per_rank: usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllToAll, send, recv, count_per_rank, datatype, comm)
    }
    /// Replacement for MPI_Ialltoall.
    nonblocking anyccl_iall_to_all;
    /// Replacement for MPI_Alltoall_init.
    persistent anyccl_all_to_all_init;
}
