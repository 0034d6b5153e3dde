/* One device for each rank of an MPI job: the second of the classic NCCL programs.
 *
 * MPI brings the id to all ranks. Rank r uses device r modulo their number, so several ranks may share one. */
#include <mpi.h>

#include "checks.h"

enum { COUNT = 1 << 16 };

int main(int argc, char **argv)
{
    int rank, ranks, devices = 0;
    ncclUniqueId id;
    ncclComm_t comm;
    float *send, *recv;
    cudaStream_t stream;

    MPICHECK(MPI_Init(&argc, &argv));
    MPICHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MPICHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));

    if (rank == 0)
        NCCLCHECK(ncclGetUniqueId(&id));
    MPICHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));

    CUDACHECK(cudaGetDeviceCount(&devices));
    CUDACHECK(cudaSetDevice(rank % devices));
    CUDACHECK(cudaMalloc((void **)&send, COUNT * sizeof(float)));
    CUDACHECK(cudaMalloc((void **)&recv, COUNT * sizeof(float)));
    CUDACHECK(cudaStreamCreate(&stream));
    fill(send, rank, COUNT, stream);

    NCCLCHECK(ncclCommInitRank(&comm, ranks, id, rank));

    NCCLCHECK(ncclAllReduce(send, recv, COUNT, ncclFloat, ncclSum, comm, stream));
    /* In place, with the sum of before as one contribution of each rank. */
    NCCLCHECK(ncclAllReduce(recv, recv, COUNT, ncclFloat, ncclMax, comm, stream));
    NCCLCHECK(ncclBroadcast(recv, send, COUNT, ncclFloat, ranks - 1, comm, stream));

    CUDACHECK(cudaStreamSynchronize(stream));
    expect_sum(recv, ranks, COUNT, stream);
    expect_sum(send, ranks, COUNT, stream);

    CUDACHECK(cudaFree(send));
    CUDACHECK(cudaFree(recv));
    CUDACHECK(cudaStreamDestroy(stream));
    NCCLCHECK(ncclCommDestroy(comm));
    MPICHECK(MPI_Finalize());
    printf("Success: rank %d of %d on device %d of %d\n", rank, ranks, rank % devices, devices);
    return 0;
}
