/* A device that is reset between communicators, before and after they end. Rank r uses device r modulo their number. */
#include <mpi.h>

#include "checks.h"

enum { COUNT = 1 << 18, ROUNDS = 4 };

static void one_round(int rank, int ranks, int is_reset_first)
{
    int devices = 0;
    ncclUniqueId id;
    ncclComm_t comm;
    cudaStream_t stream;
    float *data;

    CUDACHECK(cudaGetDeviceCount(&devices));
    CUDACHECK(cudaSetDevice(rank % devices));
    if (rank == 0)
        NCCLCHECK(ncclGetUniqueId(&id));
    MPICHECK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
    CUDACHECK(cudaMalloc((void **)&data, COUNT * sizeof(float)));
    CUDACHECK(cudaStreamCreate(&stream));
    NCCLCHECK(ncclCommInitRank(&comm, ranks, id, rank));
    fill(data, rank, COUNT, stream);
    NCCLCHECK(ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream));
    expect_sum(data, ranks, COUNT, stream);
    /* No rank resets what another one still uses. */
    MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
    if (is_reset_first)
        CUDACHECK(cudaDeviceReset());
    NCCLCHECK(is_reset_first ? ncclCommAbort(comm) : ncclCommDestroy(comm));
    MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
    if (!is_reset_first)
        CUDACHECK(cudaDeviceReset());
}

int main(int argc, char **argv)
{
    int rank, ranks;

    MPICHECK(MPI_Init(&argc, &argv));
    MPICHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MPICHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    for (int round = 0; round < ROUNDS; round++)
        one_round(rank, ranks, round % 2);
    printf("Success: rank %d of %d\n", rank, ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
