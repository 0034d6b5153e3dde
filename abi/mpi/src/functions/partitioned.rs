//! Partitioned communication: chapter 4.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! partitioned {
    ($door:ident) => {
        $crate::export! { $door PARTITIONED
            3 "4.0" MPI_Parrived PMPI_Parrived (request: RequestHandle, partition: Int, flag: Out<Flag>) =
                p2p::partitioned::calls::has_arrived;
            3 "4.0" MPI_Pready PMPI_Pready (partition: Int, request: RequestHandle) =
                p2p::partitioned::calls::ready;
            3 "4.0" MPI_Pready_list PMPI_Pready_list (length: Count, array_of_partitions: Array<Int>,
                request: RequestHandle) = p2p::partitioned::calls::ready_list;
            3 "4.0" MPI_Pready_range PMPI_Pready_range (partition_low: Int, partition_high: Int, request:
                RequestHandle) = p2p::partitioned::calls::ready_range;
            3 "4.0" MPI_Precv_init PMPI_Precv_init (buf: RecvBuffer, partitions: Int, count: LargeCount,
                datatype: DatatypeHandle, dest: Rank, tag: Tag, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = p2p::partitioned::calls::recv_init;
            3 "4.0" MPI_Psend_init PMPI_Psend_init (buf: SendBuffer, partitions: Int, count: LargeCount,
                datatype: DatatypeHandle, dest: Rank, tag: Tag, comm: CommHandle, info: InfoHandle,
                request: Out<RequestHandle>) on comm = p2p::partitioned::calls::send_init;
            3 "4.0" MPI_Psend_init_c PMPI_Psend_init_c (buf: SendBuffer, partitions: Int, count:
                LargeCount, datatype: DatatypeHandle, dest: Rank, tag: Tag, comm: CommHandle, info:
                InfoHandle, request: Out<RequestHandle>) on comm = p2p::partitioned::calls::send_init;
            3 "4.0" MPI_Precv_init_c PMPI_Precv_init_c (buf: RecvBuffer, partitions: Int, count:
                LargeCount, datatype: DatatypeHandle, dest: Rank, tag: Tag, comm: CommHandle, info:
                InfoHandle, request: Out<RequestHandle>) on comm = p2p::partitioned::calls::recv_init;
        }
    };
}
