/* The `library` of bench.c for any MPI. Errors end the job, by MPI's default. */
#include <mpi.h>

#include "bench.h"

static void start(int *argc, char ***argv, int *rank, int *size)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

static void end(void)
{
    MPI_Finalize();
}

static void *allocate(size_t bytes)
{
    void *memory;

    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    return memory;
}

static void all_reduce(const float *send, float *recv, size_t count)
{
    MPI_Allreduce(send, recv, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void all_to_all(const float *send, float *recv, size_t block)
{
    MPI_Alltoall(send, (int)block, MPI_FLOAT, recv, (int)block, MPI_FLOAT, MPI_COMM_WORLD);
}

static void all_gather(const float *send, float *recv, size_t block)
{
    MPI_Allgather(send, (int)block, MPI_FLOAT, recv, (int)block, MPI_FLOAT, MPI_COMM_WORLD);
}

static void reduce_scatter(const float *send, float *recv, size_t block)
{
    MPI_Reduce_scatter_block(send, recv, (int)block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void broadcast(float *buffer, size_t count, int root)
{
    MPI_Bcast(buffer, (int)count, MPI_FLOAT, root, MPI_COMM_WORLD);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void send_to(const float *buffer, size_t count, int peer)
{
    MPI_Send(buffer, (int)count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD);
}

static void recv_from(float *buffer, size_t count, int peer)
{
    MPI_Recv(buffer, (int)count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void maximum(double *values, int count)
{
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

const struct library library = {
    start,          end,       allocate, all_reduce, all_to_all, all_gather,
    reduce_scatter, broadcast, barrier,  send_to,    recv_from,  maximum,
};
