//! The persistent collectives of MPI 4.0 under the names that Open MPI 4.1 gave them.

use crate::exports::*;

anyccl_mpi::jumps! {
    MPIX_Allgather_init = MPI_Allgather_init;
    PMPIX_Allgather_init = PMPI_Allgather_init;
    MPIX_Allgatherv_init = MPI_Allgatherv_init;
    PMPIX_Allgatherv_init = PMPI_Allgatherv_init;
    MPIX_Allreduce_init = MPI_Allreduce_init;
    PMPIX_Allreduce_init = PMPI_Allreduce_init;
    MPIX_Alltoall_init = MPI_Alltoall_init;
    PMPIX_Alltoall_init = PMPI_Alltoall_init;
    MPIX_Alltoallv_init = MPI_Alltoallv_init;
    PMPIX_Alltoallv_init = PMPI_Alltoallv_init;
    MPIX_Alltoallw_init = MPI_Alltoallw_init;
    PMPIX_Alltoallw_init = PMPI_Alltoallw_init;
    MPIX_Barrier_init = MPI_Barrier_init;
    PMPIX_Barrier_init = PMPI_Barrier_init;
    MPIX_Bcast_init = MPI_Bcast_init;
    PMPIX_Bcast_init = PMPI_Bcast_init;
    MPIX_Exscan_init = MPI_Exscan_init;
    PMPIX_Exscan_init = PMPI_Exscan_init;
    MPIX_Gather_init = MPI_Gather_init;
    PMPIX_Gather_init = PMPI_Gather_init;
    MPIX_Gatherv_init = MPI_Gatherv_init;
    PMPIX_Gatherv_init = PMPI_Gatherv_init;
    MPIX_Reduce_init = MPI_Reduce_init;
    PMPIX_Reduce_init = PMPI_Reduce_init;
    MPIX_Reduce_scatter_init = MPI_Reduce_scatter_init;
    PMPIX_Reduce_scatter_init = PMPI_Reduce_scatter_init;
    MPIX_Reduce_scatter_block_init = MPI_Reduce_scatter_block_init;
    PMPIX_Reduce_scatter_block_init = PMPI_Reduce_scatter_block_init;
    MPIX_Scan_init = MPI_Scan_init;
    PMPIX_Scan_init = PMPI_Scan_init;
    MPIX_Scatter_init = MPI_Scatter_init;
    PMPIX_Scatter_init = PMPI_Scatter_init;
    MPIX_Scatterv_init = MPI_Scatterv_init;
    PMPIX_Scatterv_init = PMPI_Scatterv_init;
    MPIX_Neighbor_allgather_init = MPI_Neighbor_allgather_init;
    PMPIX_Neighbor_allgather_init = PMPI_Neighbor_allgather_init;
    MPIX_Neighbor_allgatherv_init = MPI_Neighbor_allgatherv_init;
    PMPIX_Neighbor_allgatherv_init = PMPI_Neighbor_allgatherv_init;
    MPIX_Neighbor_alltoall_init = MPI_Neighbor_alltoall_init;
    PMPIX_Neighbor_alltoall_init = PMPI_Neighbor_alltoall_init;
    MPIX_Neighbor_alltoallv_init = MPI_Neighbor_alltoallv_init;
    PMPIX_Neighbor_alltoallv_init = PMPI_Neighbor_alltoallv_init;
    MPIX_Neighbor_alltoallw_init = MPI_Neighbor_alltoallw_init;
    PMPIX_Neighbor_alltoallw_init = PMPI_Neighbor_alltoallw_init;
}
