//! Collectives: chapter 6.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! collectives {
    ($door:ident) => {
        $crate::export! { $door COLLECTIVES
            1 "1.0" MPI_Allgather PMPI_Allgather (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::allgather;
            1 "1.0" MPI_Allgatherv PMPI_Allgatherv (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle, comm: CommHandle)
                on comm = collective::allgatherv;
            1 "1.0" MPI_Allreduce PMPI_Allreduce (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::allreduce;
            1 "1.0" MPI_Alltoall PMPI_Alltoall (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::alltoall;
            1 "1.0" MPI_Alltoallv PMPI_Alltoallv (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls: Array<Count>,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls: Array<Count>, recvtype:
                DatatypeHandle, comm: CommHandle) on comm = collective::alltoallv;
            1 "2.0" MPI_Alltoallw PMPI_Alltoallw (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls: Array<Count>,
                sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls: Array<Count>,
                recvtypes: Array<DatatypeHandle>, comm: CommHandle) on comm = collective::alltoallw;
            1 "1.0" MPI_Barrier PMPI_Barrier (comm: CommHandle) on comm = collective::barrier;
            1 "1.0" MPI_Bcast PMPI_Bcast (buffer: RecvBuffer, count: Count, datatype: DatatypeHandle, root: Rank, comm:
                CommHandle) on comm = collective::bcast;
            1 "2.0" MPI_Exscan PMPI_Exscan (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::exscan;
            1 "1.0" MPI_Gather PMPI_Gather (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm: CommHandle) on comm = collective::gather;
            1 "1.0" MPI_Gatherv PMPI_Gatherv (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle) on comm = collective::gatherv;
            1 "3.0" MPI_Iallgather PMPI_Iallgather (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>)
                on comm = collective::iallgather;
            1 "3.0" MPI_Iallgatherv PMPI_Iallgatherv (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle, comm: CommHandle,
                request: Out<RequestHandle>) on comm = collective::iallgatherv;
            1 "3.0" MPI_Iallreduce PMPI_Iallreduce (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iallreduce;
            1 "3.0" MPI_Ialltoall PMPI_Ialltoall (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ialltoall;
            1 "3.0" MPI_Ialltoallv PMPI_Ialltoallv (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls: Array<Count>,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls: Array<Count>, recvtype:
                DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ialltoallv;
            1 "3.0" MPI_Ialltoallw PMPI_Ialltoallw (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls: Array<Count>,
                sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls: Array<Count>,
                recvtypes: Array<DatatypeHandle>, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ialltoallw;
            1 "3.0" MPI_Ibarrier PMPI_Ibarrier (comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ibarrier;
            1 "3.0" MPI_Ibcast PMPI_Ibcast (buffer: RecvBuffer, count: Count, datatype: DatatypeHandle, root: Rank, comm:
                CommHandle, request: Out<RequestHandle>) on comm = collective::ibcast;
            1 "3.0" MPI_Iexscan PMPI_Iexscan (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iexscan;
            1 "3.0" MPI_Igather PMPI_Igather (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::igather;
            1 "3.0" MPI_Igatherv PMPI_Igatherv (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle, request: Out<RequestHandle>) on comm = collective::igatherv;
            1 "3.0" MPI_Ireduce PMPI_Ireduce (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, root: Rank, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ireduce;
            1 "3.0" MPI_Ireduce_scatter PMPI_Ireduce_scatter (sendbuf: SendBuffer, recvbuf: RecvBuffer, recvcounts:
                Array<Count>, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ireduce_scatter;
            1 "3.0" MPI_Ireduce_scatter_block PMPI_Ireduce_scatter_block (sendbuf: SendBuffer, recvbuf: RecvBuffer,
                recvcount: Count, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm
                = collective::ireduce_scatter_block;
            1 "3.0" MPI_Iscan PMPI_Iscan (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iscan;
            1 "3.0" MPI_Iscatter PMPI_Iscatter (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::iscatter;
            1 "3.0" MPI_Iscatterv PMPI_Iscatterv (sendbuf: SendBuffer, sendcounts: Array<Count>, displs: Array<Count>,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle, request: Out<RequestHandle>) on comm = collective::iscatterv;
            1 "1.0" MPI_Reduce PMPI_Reduce (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, root: Rank, comm: CommHandle) on comm = collective::reduce;
            1 "1.0" MPI_Reduce_scatter PMPI_Reduce_scatter (sendbuf: SendBuffer, recvbuf: RecvBuffer, recvcounts:
                Array<Count>, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::reduce_scatter;
            1 "2.2" MPI_Reduce_scatter_block PMPI_Reduce_scatter_block (sendbuf: SendBuffer, recvbuf: RecvBuffer, recvcount:
                Count, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::reduce_scatter_block;
            1 "1.0" MPI_Scan PMPI_Scan (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                op: OpHandle, comm: CommHandle) on comm = collective::scan;
            1 "1.0" MPI_Scatter PMPI_Scatter (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle, recvbuf:
                RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm: CommHandle) on comm = collective::scatter;
            1 "1.0" MPI_Scatterv PMPI_Scatterv (sendbuf: SendBuffer, sendcounts: Array<Count>, displs: Array<Count>,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle) on comm = collective::scatterv;
            2 "4.0" MPI_Allgather_c PMPI_Allgather_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::allgather;
            2 "4.0" MPI_Allgather_init PMPI_Allgather_init (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request:
                Out<RequestHandle>) on comm = collective::allgather_init;
            2 "4.0" MPI_Allgather_init_c PMPI_Allgather_init_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle, info:
                InfoHandle, request: Out<RequestHandle>) on comm = collective::allgather_init;
            2 "4.0" MPI_Allgatherv_c PMPI_Allgatherv_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype:
                DatatypeHandle, comm: CommHandle) on comm = collective::allgatherv;
            2 "4.0" MPI_Allgatherv_init PMPI_Allgatherv_init (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle,
                comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::allgatherv_init;
            2 "4.0" MPI_Allgatherv_init_c PMPI_Allgatherv_init_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype:
                DatatypeHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::allgatherv_init;
            2 "4.0" MPI_Allreduce_c PMPI_Allreduce_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::allreduce;
            2 "4.0" MPI_Allreduce_init PMPI_Allreduce_init (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count,
                datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm
                = collective::allreduce_init;
            2 "4.0" MPI_Allreduce_init_c PMPI_Allreduce_init_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm
                = collective::allreduce_init;
            2 "4.0" MPI_Alltoall_c PMPI_Alltoall_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::alltoall;
            2 "4.0" MPI_Alltoall_init PMPI_Alltoall_init (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request:
                Out<RequestHandle>) on comm = collective::alltoall_init;
            2 "4.0" MPI_Alltoall_init_c PMPI_Alltoall_init_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle, info:
                InfoHandle, request: Out<RequestHandle>) on comm = collective::alltoall_init;
            2 "4.0" MPI_Alltoallv_c PMPI_Alltoallv_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, sdispls:
                Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls: Array<Aint>,
                recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::alltoallv;
            2 "4.0" MPI_Alltoallv_init PMPI_Alltoallv_init (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls:
                Array<Count>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls: Array<Count>,
                recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::alltoallv_init;
            2 "4.0" MPI_Alltoallv_init_c PMPI_Alltoallv_init_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, sdispls:
                Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls: Array<Aint>,
                recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::alltoallv_init;
            2 "4.0" MPI_Alltoallw_c PMPI_Alltoallw_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, sdispls:
                Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls:
                Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle) on comm = collective::alltoallw;
            2 "4.0" MPI_Alltoallw_init PMPI_Alltoallw_init (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls:
                Array<Count>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls:
                Array<Count>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>)
                on comm = collective::alltoallw_init;
            2 "4.0" MPI_Alltoallw_init_c PMPI_Alltoallw_init_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, sdispls:
                Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls:
                Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>)
                on comm = collective::alltoallw_init;
            2 "4.0" MPI_Barrier_init PMPI_Barrier_init (comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on
                comm = collective::barrier_init;
            2 "4.0" MPI_Bcast_c PMPI_Bcast_c (buffer: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, root: Rank,
                comm: CommHandle) on comm = collective::bcast;
            2 "4.0" MPI_Bcast_init PMPI_Bcast_init (buffer: RecvBuffer, count: Count, datatype: DatatypeHandle, root: Rank,
                comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::bcast_init;
            2 "4.0" MPI_Bcast_init_c PMPI_Bcast_init_c (buffer: RecvBuffer, count: LargeCount, datatype: DatatypeHandle,
                root: Rank, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::bcast_init;
            2 "4.0" MPI_Exscan_c PMPI_Exscan_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::exscan;
            2 "4.0" MPI_Exscan_init PMPI_Exscan_init (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::exscan_init;
            2 "4.0" MPI_Exscan_init_c PMPI_Exscan_init_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm
                = collective::exscan_init;
            2 "4.0" MPI_Gather_c PMPI_Gather_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank, comm: CommHandle) on comm = collective::gather;
            2 "4.0" MPI_Gather_init PMPI_Gather_init (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = collective::gather_init;
            2 "4.0" MPI_Gather_init_c PMPI_Gather_init_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::gather_init;
            2 "4.0" MPI_Gatherv_c PMPI_Gatherv_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype: DatatypeHandle, root: Rank,
                comm: CommHandle) on comm = collective::gatherv;
            2 "4.0" MPI_Gatherv_init PMPI_Gatherv_init (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::gatherv_init;
            2 "4.0" MPI_Gatherv_init_c PMPI_Gatherv_init_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype:
                DatatypeHandle, root: Rank, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::gatherv_init;
            2 "4.0" MPI_Iallgather_c PMPI_Iallgather_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::iallgather;
            2 "4.0" MPI_Iallgatherv_c PMPI_Iallgatherv_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype:
                DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iallgatherv;
            2 "4.0" MPI_Iallreduce_c PMPI_Iallreduce_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iallreduce;
            2 "4.0" MPI_Ialltoall_c PMPI_Ialltoall_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::ialltoall;
            2 "4.0" MPI_Ialltoallv_c PMPI_Ialltoallv_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, sdispls:
                Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls: Array<Aint>,
                recvtype: DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ialltoallv;
            2 "4.0" MPI_Ialltoallw_c PMPI_Ialltoallw_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, sdispls:
                Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls:
                Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ialltoallw;
            2 "4.0" MPI_Ibcast_c PMPI_Ibcast_c (buffer: RecvBuffer, count: LargeCount, datatype: DatatypeHandle, root: Rank,
                comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ibcast;
            2 "4.0" MPI_Iexscan_c PMPI_Iexscan_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iexscan;
            2 "4.0" MPI_Igather_c PMPI_Igather_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::igather;
            2 "4.0" MPI_Igatherv_c PMPI_Igatherv_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype: DatatypeHandle, root: Rank,
                comm: CommHandle, request: Out<RequestHandle>) on comm = collective::igatherv;
            2 "4.0" MPI_Ireduce_c PMPI_Ireduce_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, root: Rank, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ireduce;
            2 "4.0" MPI_Ireduce_scatter_c PMPI_Ireduce_scatter_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, recvcounts:
                Array<LargeCount>, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on
                comm = collective::ireduce_scatter;
            2 "4.0" MPI_Ireduce_scatter_block_c PMPI_Ireduce_scatter_block_c (sendbuf: SendBuffer, recvbuf: RecvBuffer,
                recvcount: LargeCount, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on
                comm = collective::ireduce_scatter_block;
            2 "4.0" MPI_Iscan_c PMPI_Iscan_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iscan;
            2 "4.0" MPI_Iscatter_c PMPI_Iscatter_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::iscatter;
            2 "4.0" MPI_Iscatterv_c PMPI_Iscatterv_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, displs:
                Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle,
                root: Rank, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::iscatterv;
            2 "4.0" MPI_Reduce_c PMPI_Reduce_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, root: Rank, comm: CommHandle) on comm = collective::reduce;
            2 "4.0" MPI_Reduce_init PMPI_Reduce_init (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, root: Rank, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on
                comm = collective::reduce_init;
            2 "4.0" MPI_Reduce_init_c PMPI_Reduce_init_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, op: OpHandle, root: Rank, comm: CommHandle, info: InfoHandle, request:
                Out<RequestHandle>) on comm = collective::reduce_init;
            2 "4.0" MPI_Reduce_scatter_c PMPI_Reduce_scatter_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, recvcounts:
                Array<LargeCount>, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::reduce_scatter;
            2 "4.0" MPI_Reduce_scatter_block_c PMPI_Reduce_scatter_block_c (sendbuf: SendBuffer, recvbuf: RecvBuffer,
                recvcount: LargeCount, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::reduce_scatter_block;
            2 "4.0" MPI_Reduce_scatter_block_init PMPI_Reduce_scatter_block_init (sendbuf: SendBuffer, recvbuf: RecvBuffer,
                recvcount: Count, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request:
                Out<RequestHandle>) on comm = collective::reduce_scatter_block_init;
            2 "4.0" MPI_Reduce_scatter_block_init_c PMPI_Reduce_scatter_block_init_c (sendbuf: SendBuffer, recvbuf:
                RecvBuffer, recvcount: LargeCount, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = collective::reduce_scatter_block_init;
            2 "4.0" MPI_Reduce_scatter_init PMPI_Reduce_scatter_init (sendbuf: SendBuffer, recvbuf: RecvBuffer, recvcounts:
                Array<Count>, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request:
                Out<RequestHandle>) on comm = collective::reduce_scatter_init;
            2 "4.0" MPI_Reduce_scatter_init_c PMPI_Reduce_scatter_init_c (sendbuf: SendBuffer, recvbuf: RecvBuffer,
                recvcounts: Array<LargeCount>, datatype: DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = collective::reduce_scatter_init;
            2 "4.0" MPI_Scan_c PMPI_Scan_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle) on comm = collective::scan;
            2 "4.0" MPI_Scan_init PMPI_Scan_init (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::scan_init;
            2 "4.0" MPI_Scan_init_c PMPI_Scan_init_c (sendbuf: SendBuffer, recvbuf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, op: OpHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::scan_init;
            2 "4.0" MPI_Scatter_c PMPI_Scatter_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank, comm: CommHandle) on comm = collective::scatter;
            2 "4.0" MPI_Scatter_init PMPI_Scatter_init (sendbuf: SendBuffer, sendcount: Count, sendtype: DatatypeHandle,
                recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root: Rank, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = collective::scatter_init;
            2 "4.0" MPI_Scatter_init_c PMPI_Scatter_init_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank, comm:
                CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::scatter_init;
            2 "4.0" MPI_Scatterv_c PMPI_Scatterv_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, displs: Array<Aint>,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, root: Rank,
                comm: CommHandle) on comm = collective::scatterv;
            2 "4.0" MPI_Scatterv_init PMPI_Scatterv_init (sendbuf: SendBuffer, sendcounts: Array<Count>, displs:
                Array<Count>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, root:
                Rank, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::scatterv_init;
            2 "4.0" MPI_Scatterv_init_c PMPI_Scatterv_init_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>, displs:
                Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle,
                root: Rank, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::scatterv_init;
        }
    };
}
