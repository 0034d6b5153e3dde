//! Groups: section 7.3.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! groups {
    ($door:ident) => {
        $crate::export! { $door GROUPS
            1 "1.0" MPI_Comm_group PMPI_Comm_group (comm: CommHandle, group: Out<GroupHandle>) on comm = group::calls::of_comm;
            2 "1.0" MPI_Comm_remote_group PMPI_Comm_remote_group (comm: CommHandle, group: Out<GroupHandle>) on comm = group::calls::of_remote;
            2 "1.0" MPI_Group_compare PMPI_Group_compare (group1: GroupHandle, group2: GroupHandle, result: Out<Comparison>)
                = group::calls::compare;
            2 "1.0" MPI_Group_difference PMPI_Group_difference (group1: GroupHandle, group2: GroupHandle, newgroup:
                Out<GroupHandle>) = group::calls::difference;
            2 "1.0" MPI_Group_excl PMPI_Group_excl (group: GroupHandle, n: Int, ranks: Array<Int>, newgroup:
                Out<GroupHandle>) = group::calls::exclude;
            1 "1.0" MPI_Group_free PMPI_Group_free (group: InOut<GroupHandle>) = group::calls::free;
            1 "1.0" MPI_Group_incl PMPI_Group_incl (group: GroupHandle, n: Int, ranks: Array<Int>, newgroup:
                Out<GroupHandle>) = group::calls::include;
            2 "1.0" MPI_Group_intersection PMPI_Group_intersection (group1: GroupHandle, group2: GroupHandle, newgroup:
                Out<GroupHandle>) = group::calls::intersection;
            2 "1.0" MPI_Group_range_excl PMPI_Group_range_excl (group: GroupHandle, n: Int, ranges: Array<Range>, newgroup:
                Out<GroupHandle>) = group::calls::range_exclude;
            2 "1.0" MPI_Group_range_incl PMPI_Group_range_incl (group: GroupHandle, n: Int, ranges: Array<Range>, newgroup:
                Out<GroupHandle>) = group::calls::range_include;
            1 "1.0" MPI_Group_rank PMPI_Group_rank (group: GroupHandle, rank: Out<Rank>) = group::calls::rank;
            1 "1.0" MPI_Group_size PMPI_Group_size (group: GroupHandle, size: Out<Int>) = group::calls::size;
            1 "1.0" MPI_Group_translate_ranks PMPI_Group_translate_ranks (group1: GroupHandle, n: Int, ranks1: Array<Rank>,
                group2: GroupHandle, ranks2: OutArray<Rank>) = group::calls::translate_ranks;
            2 "1.0" MPI_Group_union PMPI_Group_union (group1: GroupHandle, group2: GroupHandle, newgroup: Out<GroupHandle>)
                = group::calls::union;
        }
    };
}
