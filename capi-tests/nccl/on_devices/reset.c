/* A device that is reset between communicators, before and after they end. Rank r uses device r modulo their number. */
#include "rank.h"

enum { COUNT = 1 << 18, ROUNDS = 4 };

static void one_round(int rank, int ranks, int is_reset_first)
{
    ncclComm_t comm;
    cudaStream_t stream;
    float *data;

    use_device(rank);
    CUDACHECK(cudaMalloc((void **)&data, COUNT * sizeof(float)));
    CUDACHECK(cudaStreamCreate(&stream));
    comm = join(rank, ranks);
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

    begin_mpi(&argc, &argv, &rank, &ranks);
    for (int round = 0; round < ROUNDS; round++)
        one_round(rank, ranks, round % 2);
    printf("Success: rank %d of %d\n", rank, ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
