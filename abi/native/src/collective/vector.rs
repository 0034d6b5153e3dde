//! Collectives whose blocks differ in length and lie in one buffer: names with a `_v`.

use std::ffi::{c_int, c_void};

use anyccl_edge::blocks::{array, blocks, packed};
use anyccl_engine::base::Collective;

use super::unequal::{Arguments, Blocks, buffers, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;
use crate::reduce_op::anyccl_reduce_op_t;

forms! {
    /// Collects blocks of different lengths on every rank.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  a0 a1 c0
    ///     rank 1  -         =>    rank 1  a0 a1 c0         recv_counts 2 0 1
    ///     rank 2  c0              rank 2  a0 a1 c0
    ///
    /// \param[in]  send         Block of this rank, recv_counts[rank] elements.
    /// \param[out] recv         For each rank r, recv_counts[r] elements from element recv_displs[r] on.
    ///                          Elements between the blocks do not change.
    /// \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
    /// \param[in]  recv_displs  Offset of each block, size numbers, or NULL. Ranks may have different ones.
    /// \param[in]  datatype     Datatype of the elements.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv + recv_displs[rank] elements. Blocks of recv must not overlap.
    /// Replacement for MPI_Allgatherv.
    fn anyccl_all_gather_v(
        send: *const c_void,
        recv: *mut c_void,
        recv_counts: *const usize,
        recv_displs: *const usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllGatherV, datatype, comm).with(move |caller| {
            // SAFETY: the caller promises arrays of the documented length.
            let output = unsafe { blocks(recv_counts, recv_displs, caller.size, "recv_counts") }?;
            Ok(Blocks::of_ranks(one(output[caller.rank].len), output, buffers(send, recv)))
        })
    }
    /// Replacement for MPI_Iallgatherv.
    nonblocking anyccl_iall_gather_v;
    /// Replacement for MPI_Allgatherv_init.
    persistent anyccl_all_gather_v_init;
}

forms! {
    /// Collects blocks of different lengths at the root.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  -
    ///     rank 1  -         =>    rank 1  a0 a1 c0         root 1, recv_counts 2 0 1
    ///     rank 2  c0              rank 2  -
    ///
    /// \param[in]  send         Block of this rank, send_count elements.
    /// \param[out] recv         At the root: for each rank r, recv_counts[r] elements from element
    ///                          recv_displs[r] on. Elements between the blocks do not change. Not used on the
    ///                          other ranks: may be NULL.
    /// \param[in]  send_count   Elements of the block of this rank.
    /// \param[in]  recv_counts  At the root: the send_count of each rank, size numbers. Not used on the other
    ///                          ranks: may be NULL.
    /// \param[in]  recv_displs  At the root: offset of each block, size numbers, or NULL. Not used on the
    ///                          other ranks.
    /// \param[in]  datatype     Datatype of the elements.
    /// \param[in]  root         Rank that gets the blocks.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv + recv_displs[root] elements at the root. Replacement for
    /// MPI_Gatherv.
    fn anyccl_gather_v(
        send: *const c_void,
        recv: *mut c_void,
        send_count: usize,
        recv_counts: *const usize,
        recv_displs: *const usize,
        datatype: anyccl_datatype_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::GatherV, datatype, comm).with_root(root).with(move |caller| {
            let output = match caller.is_root {
                // SAFETY: the caller promises arrays of the documented length at the root.
                true => unsafe { blocks(recv_counts, recv_displs, caller.size, "recv_counts") }?,
                false => Vec::new(),
            };
            Ok(Blocks::of_ranks(one(send_count), output, buffers(send, recv)))
        })
    }
    /// Replacement for MPI_Igatherv.
    nonblocking anyccl_igather_v;
    /// Replacement for MPI_Gatherv_init.
    persistent anyccl_gather_v_init;
}

forms! {
    /// Distributes blocks of different lengths from the root to all ranks.
    ///
    ///     before  send            after  recv
    ///     rank 0  -               rank 0  b0 b1
    ///     rank 1  b0 b1 b2  =>    rank 1  -                root 1, send_counts 2 0 1
    ///     rank 2  -               rank 2  b2
    ///
    /// \param[in]  send         At the root: for each rank r, send_counts[r] elements from element
    ///                          send_displs[r] on. Not used on the other ranks: may be NULL.
    /// \param[out] recv         Block of this rank, recv_count elements.
    /// \param[in]  send_counts  At the root: the recv_count of each rank, size numbers. Not used on the other
    ///                          ranks: may be NULL.
    /// \param[in]  send_displs  At the root: offset of each block, size numbers, or NULL. Not used on the
    ///                          other ranks.
    /// \param[in]  recv_count   Elements of the block of this rank.
    /// \param[in]  datatype     Datatype of the elements.
    /// \param[in]  root         Rank that sends the blocks.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: recv == send + send_displs[root] elements at the root. Replacement for
    /// MPI_Scatterv.
    fn anyccl_scatter_v(
        send: *const c_void,
        recv: *mut c_void,
        send_counts: *const usize,
        send_displs: *const usize,
        recv_count: usize,
        datatype: anyccl_datatype_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::ScatterV, datatype, comm).with_root(root).with(move |caller| {
            let input = match caller.is_root {
                // SAFETY: the caller promises arrays of the documented length at the root.
                true => unsafe { blocks(send_counts, send_displs, caller.size, "send_counts") }?,
                false => Vec::new(),
            };
            Ok(Blocks::of_ranks(input, one(recv_count), buffers(send, recv)))
        })
    }
    /// Replacement for MPI_Iscatterv.
    nonblocking anyccl_iscatter_v;
    /// Replacement for MPI_Scatterv_init.
    persistent anyccl_scatter_v_init;
}

forms! {
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
    fn anyccl_reduce_scatter_v(
        send: *const c_void,
        recv: *mut c_void,
        recv_counts: *const usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::ReduceScatterV, datatype, comm).with_op(op).with(move |caller| {
            // SAFETY: the caller promises an array of the documented length.
            let input = packed(unsafe { array(recv_counts, caller.size, "recv_counts") }?, "recv_counts")?;
            let own = one(input[caller.rank].len);
            Ok(Blocks::of_ranks(input, own, buffers(send, recv)))
        })
    }
    /// Replacement for MPI_Ireduce_scatter.
    nonblocking anyccl_ireduce_scatter_v;
    /// Replacement for MPI_Reduce_scatter_init.
    persistent anyccl_reduce_scatter_v_init;
}

forms! {
    /// Sends a block of any length from every rank to every rank.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1 a2        rank 0  a0 b0        send_counts of rank 0: 1 2
    ///     rank 1  b0        =>    rank 1  a1 a2        send_counts of rank 1: 1 0
    ///
    /// \param[in]  send         For each rank r, send_counts[r] elements from element send_displs[r] on.
    /// \param[out] recv         For each rank r, recv_counts[r] elements from element recv_displs[r] on.
    ///                          Elements between the blocks do not change.
    /// \param[in]  send_counts  Length of the block for each rank, size numbers.
    /// \param[in]  send_displs  Offset of the block for each rank, size numbers, or NULL.
    /// \param[in]  recv_counts  Length of the block from each rank, size numbers: recv_counts[r] is what rank
    ///                          r has in its send_counts for this rank.
    /// \param[in]  recv_displs  Offset of the block from each rank, size numbers, or NULL.
    /// \param[in]  datatype     Datatype of the elements.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: a block of send has the address and the length of the block of recv of the same
    /// rank. Blocks of recv must not overlap. Replacement for MPI_Alltoallv.
    fn anyccl_all_to_all_v(
        send: *const c_void,
        recv: *mut c_void,
        send_counts: *const usize,
        send_displs: *const usize,
        recv_counts: *const usize,
        recv_displs: *const usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllToAllV, datatype, comm).with(move |caller| {
            // SAFETY: the caller promises arrays of the documented length.
            let input = unsafe { blocks(send_counts, send_displs, caller.size, "send_counts") }?;
            // SAFETY: as above.
            let output = unsafe { blocks(recv_counts, recv_displs, caller.size, "recv_counts") }?;
            Ok(Blocks::of_ranks(input, output, buffers(send, recv)))
        })
    }
    /// Replacement for MPI_Ialltoallv.
    nonblocking anyccl_iall_to_all_v;
    /// Replacement for MPI_Alltoallv_init.
    persistent anyccl_all_to_all_v_init;
}
