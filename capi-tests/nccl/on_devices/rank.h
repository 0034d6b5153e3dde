/* The start of a program whose processes are started with MPI, one rank each. */
#ifndef ON_DEVICES_RANK_H
#define ON_DEVICES_RANK_H

#include <mpi.h>

#include "checks.h"

/* Tells the number of this rank, and how many there are. */
static inline void begin_mpi(int *argc, char ***argv, int *rank, int *ranks)
{
    MPICHECK(MPI_Init(argc, argv));
    MPICHECK(MPI_Comm_rank(MPI_COMM_WORLD, rank));
    MPICHECK(MPI_Comm_size(MPI_COMM_WORLD, ranks));
}

/* Makes device r modulo their number the current one of rank r. */
static inline void use_device(int rank)
{
    int devices = 0;
    CUDACHECK(cudaGetDeviceCount(&devices));
    CUDACHECK(cudaSetDevice(rank % devices));
}

/* Makes an id that all ranks have. */
static inline ncclUniqueId shared_id(int rank)
{
    ncclUniqueId id;
    if (rank == 0)
        NCCLCHECK(ncclGetUniqueId(&id));
    MPICHECK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
    return id;
}

/* Makes a communicator of all ranks, on their current devices. */
static inline ncclComm_t join(int rank, int ranks)
{
    ncclComm_t comm;
    NCCLCHECK(ncclCommInitRank(&comm, ranks, shared_id(rank), rank));
    return comm;
}

#endif
