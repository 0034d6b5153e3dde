/* A rank that makes its job hang or fail, behind one of three interfaces: anyccl's own, that of NCCL (-DDOOR_NCCL) or of MPI
 * (-DDOOR_MPI).
 *
 *     trouble stop|gone|count|root|leave|compute
 *
 * After CALLS calls of all ranks, rank 1 stops itself, ends, calls with another count or root, leaves the communicator, or
 * computes for ever. The others make one more call, for another root a broadcast. They write to a pipe when they have made CALLS. What rank 1 does then may fail the communicator while another
 * rank is still in its last call. TROUBLE_PIPES names the ends of that pipe, and those of one for an id.
 * No rank ends by itself after that, so that somebody can look at the job. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define CALLS 5
#define COUNT 4

static float in[COUNT + 1], out[COUNT + 1];

/* A descriptor of TROUBLE_PIPES: two pipes, of each the end for reading and that for writing. */
static int end_of_pipe(int number)
{
    int ends[4];
    CHECK(sscanf(getenv("TROUBLE_PIPES"), "%d,%d,%d,%d", &ends[0], &ends[1], &ends[2], &ends[3]) == 4);
    return ends[number];
}

#if defined(DOOR_MPI)
#include <mpi.h>

static int begin(void)
{
    int rank;
    CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int all_reduce(int count)
{
    return MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int broadcast(int root)
{
    return MPI_Bcast(in, COUNT, MPI_FLOAT, root, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static void leave(void)
{
    MPI_Finalize();
}
#elif defined(DOOR_NCCL)
/* The part of nccl.h that is needed. */
typedef struct {
    char internal[128];
} ncclUniqueId;
int ncclGetUniqueId(ncclUniqueId *id);
int ncclCommInitRank(void **comm, int size, ncclUniqueId id, int rank);
int ncclCommDestroy(void *comm);
int ncclBroadcast(const void *in, void *out, size_t count, int datatype, int root, void *comm, void *stream);
int ncclAllReduce(const void *in, void *out, size_t count, int datatype, int op, void *comm, void *stream);
#define NCCL_FLOAT 7
#define NCCL_SUM 0

static void *comm;

/* Rank 0 passes the id to the others by a pipe. */
static int begin(void)
{
    int rank = atoi(getenv("ANYCCL_RANK")), size = atoi(getenv("ANYCCL_WORLD_SIZE"));
    ncclUniqueId id;
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&id) == 0);
        for (int other = 1; other < size; other++)
            CHECK(write(end_of_pipe(3), &id, sizeof id) == sizeof id);
    } else {
        CHECK(read(end_of_pipe(2), &id, sizeof id) == sizeof id);
    }
    CHECK(ncclCommInitRank(&comm, size, id, rank) == 0);
    return rank;
}

static int all_reduce(int count)
{
    return ncclAllReduce(in, out, (size_t)count, NCCL_FLOAT, NCCL_SUM, comm, NULL) == 0;
}

static int broadcast(int root)
{
    return ncclBroadcast(in, out, COUNT, NCCL_FLOAT, root, comm, NULL) == 0;
}

static void leave(void)
{
    ncclCommDestroy(comm);
}
#else
static int begin(void)
{
    int rank;
    CHECK_OK(anyccl_init());
    CHECK_OK(anyccl_rank(&rank));
    return rank;
}

static int all_reduce(int count)
{
    return anyccl_all_reduce(in, out, (size_t)count, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD) == ANYCCL_SUCCESS;
}

static int broadcast(int root)
{
    return anyccl_broadcast(in, in, COUNT, ANYCCL_FLOAT32, root, ANYCCL_WORLD) == ANYCCL_SUCCESS;
}

static void leave(void)
{
    CHECK(anyccl_finalize() == ANYCCL_ERR_MISMATCH);
}
#endif

/* Returns when all ranks have made their calls on rank 1, and at once on the others. */
static void wait_for_others(int rank)
{
    int others = atoi(getenv("ANYCCL_WORLD_SIZE")) - 1;
    char byte = 0;
    if (rank != 1)
        CHECK(write(end_of_pipe(1), &byte, 1) == 1);
    else
        for (; others > 0; others--)
            CHECK(read(end_of_pipe(0), &byte, 1) == 1);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    int rank = begin(), count = COUNT, root = 0;
    for (int call = 0; call < CALLS; call++)
        CHECK(all_reduce(COUNT));
    wait_for_others(rank);
    if (rank == 1) {
        if (strcmp(argv[1], "stop") == 0)
            raise(SIGSTOP);
        else if (strcmp(argv[1], "gone") == 0)
            _exit(0);
        else if (strcmp(argv[1], "count") == 0)
            count = COUNT + 1;
        else if (strcmp(argv[1], "root") == 0)
            root = 1;
        else if (strcmp(argv[1], "leave") == 0)
            leave();
        else
            for (volatile unsigned turns = 0;;)
                turns = turns + 1;
    }
    if (strcmp(argv[1], "root") == 0)
        broadcast(root);
    else if (rank != 1 || strcmp(argv[1], "leave") != 0)
        all_reduce(count);
    for (;;)
        pause();
}
