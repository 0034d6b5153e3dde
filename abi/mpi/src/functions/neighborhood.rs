//! Neighbourhood collectives: section 8.6.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! neighborhood {
    ($door:ident) => {
        $crate::export! { $door NEIGHBORHOOD
            2 "3.0" MPI_Ineighbor_allgather PMPI_Ineighbor_allgather (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::ineighbor_allgather;
            2 "3.0" MPI_Ineighbor_allgatherv PMPI_Ineighbor_allgatherv (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle,
                comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ineighbor_allgatherv;
            2 "3.0" MPI_Ineighbor_alltoall PMPI_Ineighbor_alltoall (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::ineighbor_alltoall;
            2 "3.0" MPI_Ineighbor_alltoallv PMPI_Ineighbor_alltoallv (sendbuf: SendBuffer, sendcounts: Array<Count>,
                sdispls: Array<Count>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls:
                Array<Count>, recvtype: DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ineighbor_alltoallv;
            2 "3.0" MPI_Ineighbor_alltoallw PMPI_Ineighbor_alltoallw (sendbuf: SendBuffer, sendcounts: Array<Count>,
                sdispls: Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls:
                Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ineighbor_alltoallw;
            2 "3.0" MPI_Neighbor_allgather PMPI_Neighbor_allgather (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::neighbor_allgather;
            2 "3.0" MPI_Neighbor_allgatherv PMPI_Neighbor_allgatherv (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype: DatatypeHandle,
                comm: CommHandle) on comm = collective::neighbor_allgatherv;
            2 "3.0" MPI_Neighbor_alltoall PMPI_Neighbor_alltoall (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::neighbor_alltoall;
            2 "3.0" MPI_Neighbor_alltoallv PMPI_Neighbor_alltoallv (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls:
                Array<Count>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls: Array<Count>,
                recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::neighbor_alltoallv;
            2 "3.0" MPI_Neighbor_alltoallw PMPI_Neighbor_alltoallw (sendbuf: SendBuffer, sendcounts: Array<Count>, sdispls:
                Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls:
                Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle) on comm = collective::neighbor_alltoallw;
            2 "4.0" MPI_Ineighbor_allgather_c PMPI_Ineighbor_allgather_c (sendbuf: SendBuffer, sendcount: LargeCount,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm:
                CommHandle, request: Out<RequestHandle>) on comm = collective::ineighbor_allgather;
            2 "4.0" MPI_Ineighbor_allgatherv_c PMPI_Ineighbor_allgatherv_c (sendbuf: SendBuffer, sendcount: LargeCount,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype:
                DatatypeHandle, comm: CommHandle, request: Out<RequestHandle>) on comm = collective::ineighbor_allgatherv;
            2 "4.0" MPI_Ineighbor_alltoall_c PMPI_Ineighbor_alltoall_c (sendbuf: SendBuffer, sendcount: LargeCount,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm:
                CommHandle, request: Out<RequestHandle>) on comm = collective::ineighbor_alltoall;
            2 "4.0" MPI_Ineighbor_alltoallv_c PMPI_Ineighbor_alltoallv_c (sendbuf: SendBuffer, sendcounts:
                Array<LargeCount>, sdispls: Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts:
                Array<LargeCount>, rdispls: Array<Aint>, recvtype: DatatypeHandle, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::ineighbor_alltoallv;
            2 "4.0" MPI_Ineighbor_alltoallw_c PMPI_Ineighbor_alltoallw_c (sendbuf: SendBuffer, sendcounts:
                Array<LargeCount>, sdispls: Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts:
                Array<LargeCount>, rdispls: Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, request:
                Out<RequestHandle>) on comm = collective::ineighbor_alltoallw;
            2 "4.0" MPI_Neighbor_allgather_c PMPI_Neighbor_allgather_c (sendbuf: SendBuffer, sendcount: LargeCount,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm:
                CommHandle) on comm = collective::neighbor_allgather;
            2 "4.0" MPI_Neighbor_allgather_init PMPI_Neighbor_allgather_init (sendbuf: SendBuffer, sendcount: Count,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle,
                info: InfoHandle, request: Out<RequestHandle>) on comm = collective::neighbor_allgather_init;
            2 "4.0" MPI_Neighbor_allgather_init_c PMPI_Neighbor_allgather_init_c (sendbuf: SendBuffer, sendcount:
                LargeCount, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle,
                comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::neighbor_allgather_init;
            2 "4.0" MPI_Neighbor_allgatherv_c PMPI_Neighbor_allgatherv_c (sendbuf: SendBuffer, sendcount: LargeCount,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>, recvtype:
                DatatypeHandle, comm: CommHandle) on comm = collective::neighbor_allgatherv;
            2 "4.0" MPI_Neighbor_allgatherv_init PMPI_Neighbor_allgatherv_init (sendbuf: SendBuffer, sendcount: Count,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, displs: Array<Count>, recvtype:
                DatatypeHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::neighbor_allgatherv_init;
            2 "4.0" MPI_Neighbor_allgatherv_init_c PMPI_Neighbor_allgatherv_init_c (sendbuf: SendBuffer, sendcount:
                LargeCount, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, displs: Array<Aint>,
                recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::neighbor_allgatherv_init;
            2 "4.0" MPI_Neighbor_alltoall_c PMPI_Neighbor_alltoall_c (sendbuf: SendBuffer, sendcount: LargeCount, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm: CommHandle) on comm
                = collective::neighbor_alltoall;
            2 "4.0" MPI_Neighbor_alltoall_init PMPI_Neighbor_alltoall_init (sendbuf: SendBuffer, sendcount: Count, sendtype:
                DatatypeHandle, recvbuf: RecvBuffer, recvcount: Count, recvtype: DatatypeHandle, comm: CommHandle, info:
                InfoHandle, request: Out<RequestHandle>) on comm = collective::neighbor_alltoall_init;
            2 "4.0" MPI_Neighbor_alltoall_init_c PMPI_Neighbor_alltoall_init_c (sendbuf: SendBuffer, sendcount: LargeCount,
                sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcount: LargeCount, recvtype: DatatypeHandle, comm:
                CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm = collective::neighbor_alltoall_init;
            2 "4.0" MPI_Neighbor_alltoallv_c PMPI_Neighbor_alltoallv_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>,
                sdispls: Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>, rdispls:
                Array<Aint>, recvtype: DatatypeHandle, comm: CommHandle) on comm = collective::neighbor_alltoallv;
            2 "4.0" MPI_Neighbor_alltoallv_init PMPI_Neighbor_alltoallv_init (sendbuf: SendBuffer, sendcounts: Array<Count>,
                sdispls: Array<Count>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls:
                Array<Count>, recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>) on comm
                = collective::neighbor_alltoallv_init;
            2 "4.0" MPI_Neighbor_alltoallv_init_c PMPI_Neighbor_alltoallv_init_c (sendbuf: SendBuffer, sendcounts:
                Array<LargeCount>, sdispls: Array<Aint>, sendtype: DatatypeHandle, recvbuf: RecvBuffer, recvcounts:
                Array<LargeCount>, rdispls: Array<Aint>, recvtype: DatatypeHandle, comm: CommHandle, info: InfoHandle, request:
                Out<RequestHandle>) on comm = collective::neighbor_alltoallv_init;
            2 "4.0" MPI_Neighbor_alltoallw_c PMPI_Neighbor_alltoallw_c (sendbuf: SendBuffer, sendcounts: Array<LargeCount>,
                sdispls: Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<LargeCount>,
                rdispls: Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle) on comm = collective::neighbor_alltoallw;
            2 "4.0" MPI_Neighbor_alltoallw_init PMPI_Neighbor_alltoallw_init (sendbuf: SendBuffer, sendcounts: Array<Count>,
                sdispls: Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts: Array<Count>, rdispls:
                Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, info: InfoHandle, request: Out<RequestHandle>)
                on comm = collective::neighbor_alltoallw_init;
            2 "4.0" MPI_Neighbor_alltoallw_init_c PMPI_Neighbor_alltoallw_init_c (sendbuf: SendBuffer, sendcounts:
                Array<LargeCount>, sdispls: Array<Aint>, sendtypes: Array<DatatypeHandle>, recvbuf: RecvBuffer, recvcounts:
                Array<LargeCount>, rdispls: Array<Aint>, recvtypes: Array<DatatypeHandle>, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = collective::neighbor_alltoallw_init;
        }
    };
}
