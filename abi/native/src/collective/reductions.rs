//! Reductions of blocks of one length: all_reduce, reduce, reduce_scatter, scan and exscan.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::Arguments;
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;
use crate::reduce_op::anyccl_reduce_op_t;

forms! {
    /// Combines the elements of all ranks; every rank gets the result.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  S0 S1
    ///     rank 1  b0 b1     =>    rank 1  S0 S1      Sk = ak op bk op ck
    ///     rank 2  c0 c1           rank 2  S0 S1
    ///
    /// \param[in]  send      Contribution of this rank, count elements.
    /// \param[out] recv      Result, count elements.
    /// \param[in]  count     Elements of each buffer.
    /// \param[in]  datatype  Datatype of the elements.
    /// \param[in]  op        Operator that accepts datatype.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv. The result has the same bits on every rank and in every run. If
    /// the communicator is deterministic, each element also has the same bits in calls of any length and
    /// form.
    /// Replacement for MPI_Allreduce and ncclAllReduce.
    fn anyccl_all_reduce(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllReduce, send, recv, count, datatype, comm).with_op(op)
    }
    /// Replacement for MPI_Iallreduce.
    nonblocking anyccl_iall_reduce;
    /// Replacement for MPI_Allreduce_init.
    persistent anyccl_all_reduce_init;
}

forms! {
    /// Combines the elements of all ranks; the root gets the result.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  - -
    ///     rank 1  b0 b1     =>    rank 1  S0 S1      root 1; Sk = ak op bk op ck
    ///     rank 2  c0 c1           rank 2  - -
    ///
    /// \param[in]  send      Contribution of this rank, count elements.
    /// \param[out] recv      Result, count elements at the root. Not used on the other ranks: may be NULL.
    /// \param[in]  count     Elements of each buffer.
    /// \param[in]  datatype  Datatype of the elements.
    /// \param[in]  op        Operator that accepts datatype.
    /// \param[in]  root      Rank that gets the result.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv at the root. Replacement for MPI_Reduce and ncclReduce.
    fn anyccl_reduce(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        root: c_int,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::Reduce, send, recv, count, datatype, comm).with_op(op).with_root(root)
    }
    /// Replacement for MPI_Ireduce.
    nonblocking anyccl_ireduce;
    /// Replacement for MPI_Reduce_init.
    persistent anyccl_reduce_init;
}

forms! {
    /// Combines the elements of all ranks; every rank gets one block of the result.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1 a2        rank 0  S0
    ///     rank 1  b0 b1 b2  =>    rank 1  S1         Sk = ak op bk op ck; recv_count 1
    ///     rank 2  c0 c1 c2        rank 2  S2
    ///
    /// \param[in]  send        Contribution of this rank, size * recv_count elements.
    /// \param[out] recv        Block of this rank, recv_count elements.
    /// \param[in]  recv_count  Elements of each block.
    /// \param[in]  datatype    Datatype of the elements.
    /// \param[in]  op          Operator that accepts datatype.
    /// \param[in]  comm        Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: recv == send + rank * recv_count elements; the rest of send does not change.
    /// Replacement for MPI_Reduce_scatter_block and ncclReduceScatter.
    fn anyccl_reduce_scatter(
        send: *const c_void,
        recv: *mut c_void,
        recv_count: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::ReduceScatter, send, recv, recv_count, datatype, comm).with_op(op)
    }
    /// Replacement for MPI_Ireduce_scatter_block.
    nonblocking anyccl_ireduce_scatter;
    /// Replacement for MPI_Reduce_scatter_block_init.
    persistent anyccl_reduce_scatter_init;
}

forms! {
    /// Combines the elements of ranks 0 to r on every rank r.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  a0             a1
    ///     rank 1  b0 b1     =>    rank 1  a0 op b0       a1 op b1
    ///     rank 2  c0 c1           rank 2  a0 op b0 op c0 a1 op b1 op c1
    ///
    /// \param[in]  send      Contribution of this rank, count elements.
    /// \param[out] recv      Result for this rank, count elements.
    /// \param[in]  count     Elements of each buffer.
    /// \param[in]  datatype  Datatype of the elements.
    /// \param[in]  op        Operator that accepts datatype. ANYCCL_AVG is the average of ranks 0 to r.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv. Replacement for MPI_Scan.
    fn anyccl_scan(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::Scan, send, recv, count, datatype, comm).with_op(op)
    }
    /// Replacement for MPI_Iscan.
    nonblocking anyccl_iscan;
    /// Replacement for MPI_Scan_init.
    persistent anyccl_scan_init;
}

forms! {
    /// Combines the elements of ranks 0 to r-1 on every rank r.
    ///
    ///     before  send            after  recv
    ///     rank 0  a0 a1           rank 0  unchanged
    ///     rank 1  b0 b1     =>    rank 1  a0             a1
    ///     rank 2  c0 c1           rank 2  a0 op b0       a1 op b1
    ///
    /// \param[in]  send      Contribution of this rank, count elements.
    /// \param[out] recv      Result for this rank, count elements. Unchanged on rank 0, where it may be NULL.
    /// \param[in]  count     Elements of each buffer.
    /// \param[in]  datatype  Datatype of the elements.
    /// \param[in]  op        Operator that accepts datatype. ANYCCL_AVG is the average of ranks 0 to r-1.
    /// \param[in]  comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recv. Replacement for MPI_Exscan.
    fn anyccl_exscan(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        op: anyccl_reduce_op_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::Exscan, send, recv, count, datatype, comm).with_op(op)
    }
    /// Replacement for MPI_Iexscan.
    nonblocking anyccl_iexscan;
    /// Replacement for MPI_Exscan_init.
    persistent anyccl_exscan_init;
}
