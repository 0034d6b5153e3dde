/* Several devices for each process of an MPI job: the third of the classic NCCL programs.
 *
 * A group makes the communicators of a process, each of which is a rank of its own. Further groups hold their
 * calls. Rank r uses device r modulo their number. */
#include <mpi.h>

#include "checks.h"

enum { COUNT = 1 << 16, PER_PROCESS = 2 };

int main(int argc, char **argv)
{
    int process, processes, devices = 0;
    ncclUniqueId id;
    ncclComm_t comms[PER_PROCESS];
    float *send[PER_PROCESS], *recv[PER_PROCESS];
    cudaStream_t streams[PER_PROCESS];

    MPICHECK(MPI_Init(&argc, &argv));
    MPICHECK(MPI_Comm_rank(MPI_COMM_WORLD, &process));
    MPICHECK(MPI_Comm_size(MPI_COMM_WORLD, &processes));
    const int ranks = processes * PER_PROCESS, first = process * PER_PROCESS;

    if (process == 0)
        NCCLCHECK(ncclGetUniqueId(&id));
    MPICHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));

    CUDACHECK(cudaGetDeviceCount(&devices));
    for (int i = 0; i < PER_PROCESS; i++) {
        CUDACHECK(cudaSetDevice((first + i) % devices));
        CUDACHECK(cudaMalloc((void **)&send[i], COUNT * sizeof(float)));
        CUDACHECK(cudaMalloc((void **)&recv[i], COUNT * sizeof(float)));
        CUDACHECK(cudaStreamCreate(&streams[i]));
        fill(send[i], first + i, COUNT, streams[i]);
    }

    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < PER_PROCESS; i++) {
        CUDACHECK(cudaSetDevice((first + i) % devices));
        NCCLCHECK(ncclCommInitRank(&comms[i], ranks, id, first + i));
    }
    NCCLCHECK(ncclGroupEnd());

    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < PER_PROCESS; i++)
        NCCLCHECK(ncclAllReduce(send[i], recv[i], COUNT, ncclFloat, ncclSum, comms[i], streams[i]));
    NCCLCHECK(ncclGroupEnd());

    for (int i = 0; i < PER_PROCESS; i++) {
        CUDACHECK(cudaSetDevice((first + i) % devices));
        CUDACHECK(cudaStreamSynchronize(streams[i]));
        expect_sum(recv[i], ranks, COUNT, streams[i]);
        CUDACHECK(cudaFree(send[i]));
        CUDACHECK(cudaFree(recv[i]));
        CUDACHECK(cudaStreamDestroy(streams[i]));
    }
    for (int i = 0; i < PER_PROCESS; i++)
        NCCLCHECK(ncclCommDestroy(comms[i]));
    MPICHECK(MPI_Finalize());
    printf("Success: process %d of %d, %d ranks on %d devices\n", process, processes, ranks, devices);
    return 0;
}
