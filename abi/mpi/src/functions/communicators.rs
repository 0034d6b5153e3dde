//! Communicators: sections 7.4 and 7.6.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! communicators {
    ($door:ident) => {
        $crate::export! { $door COMMUNICATORS
            1 "1.0" MPI_Comm_compare PMPI_Comm_compare (comm1: CommHandle, comm2: CommHandle, result: Out<Comparison>) on
                comm1 = comm::inquiry::compare;
            1 "1.0" MPI_Comm_create PMPI_Comm_create (comm: CommHandle, group: GroupHandle, newcomm: Made<CommHandle>) on
                comm = comm::create::create;
            1 "3.0" MPI_Comm_create_group PMPI_Comm_create_group (comm: CommHandle, group: GroupHandle, tag: Tag, newcomm:
                Out<CommHandle>) on comm = comm::create::create_group;
            1 "1.0" MPI_Comm_dup PMPI_Comm_dup (comm: CommHandle, newcomm: Made<CommHandle>) on comm = comm::create::dup;
            2 "3.0" MPI_Comm_dup_with_info PMPI_Comm_dup_with_info (comm: CommHandle, info: InfoHandle, newcomm:
                Out<CommHandle>) on comm = comm::create::dup_with_info;
            1 "1.0" MPI_Comm_free PMPI_Comm_free (comm: InOut<CommHandle>) = comm::end::free;
            2 "3.0" MPI_Comm_get_info PMPI_Comm_get_info (comm: CommHandle, info_used: Out<InfoHandle>) on comm = comm::inquiry::get_info;
            1 "2.0" MPI_Comm_get_name PMPI_Comm_get_name (comm: CommHandle, comm_name: OutText, resultlen: Out<Int>) on comm
                = comm::inquiry::get_name;
            2 "3.0" MPI_Comm_idup PMPI_Comm_idup (comm: CommHandle, newcomm: Made<CommHandle>, request: Out<RequestHandle>)
                on comm = comm::nonblocking::idup;
            1 "1.0" MPI_Comm_rank PMPI_Comm_rank (comm: CommHandle, rank: Out<Rank>) on comm = comm::inquiry::rank;
            2 "1.0" MPI_Comm_remote_size PMPI_Comm_remote_size (comm: CommHandle, size: Out<Int>) on comm = comm::inquiry::remote_size;
            2 "3.0" MPI_Comm_set_info PMPI_Comm_set_info (comm: CommHandle, info: InfoHandle) on comm = comm::inquiry::set_info;
            1 "2.0" MPI_Comm_set_name PMPI_Comm_set_name (comm: CommHandle, comm_name: InText) on comm = comm::inquiry::set_name;
            1 "1.0" MPI_Comm_size PMPI_Comm_size (comm: CommHandle, size: Out<Int>) on comm = comm::inquiry::size;
            1 "1.0" MPI_Comm_split PMPI_Comm_split (comm: CommHandle, color: Int, key: Int, newcomm: Made<CommHandle>) on
                comm = comm::create::split;
            1 "3.0" MPI_Comm_split_type PMPI_Comm_split_type (comm: CommHandle, split_type: SplitType, key: Int, info:
                InfoHandle, newcomm: Made<CommHandle>) on comm = comm::create::split_type;
            2 "1.0" MPI_Comm_test_inter PMPI_Comm_test_inter (comm: CommHandle, flag: Out<Flag>) on comm = comm::inquiry::test_inter;
            2 "1.0" MPI_Intercomm_create PMPI_Intercomm_create (local_comm: CommHandle, local_leader: Rank, peer_comm:
                CommHandle, remote_leader: Rank, tag: Tag, newintercomm: Made<CommHandle>) on local_comm = comm::intercomm::create;
            2 "1.0" MPI_Intercomm_merge PMPI_Intercomm_merge (intercomm: CommHandle, high: Int, newintracomm:
                Out<CommHandle>) on intercomm = comm::intercomm::merge;
            2 "4.0" MPI_Comm_idup_with_info PMPI_Comm_idup_with_info (comm: CommHandle, info: InfoHandle, newcomm:
                Out<CommHandle>, request: Out<RequestHandle>) on comm = comm::nonblocking::idup_with_info;
        }
    };
}
