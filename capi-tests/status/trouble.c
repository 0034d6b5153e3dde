/* A rank that makes its job hang or fail, behind one of three interfaces: anyccl's own, that of NCCL (-DDOOR_NCCL) or of MPI
 * (-DDOOR_MPI).
 *
 *     trouble stop|gone|count|root|leave|compute|silent|slow|destroy|stay|message
 *
 * After CALLS calls of all ranks, rank 1 stops itself, ends, calls with another count or root, leaves the communicator, or
 * computes for ever. The others make one more call, for another root a broadcast. They write to a pipe when they have made
 * CALLS. What rank 1 does then may fail the communicator while another rank is still in its last call.
 *
 * Two troubles are the network's (network.h). silent: all ranks make one more call, and the link between ranks 0 and 1
 * swallows everything. slow: that link is slow in a long call, and swallows everything once rank 1 gets SIGUSR1.
 *
 * Two need another communicator. destroy: rank 1 ends it while the others make a call. stay: the others end it while rank 1
 * makes a call.
 *
 * message: each rank sends one to the next. Then rank 0 waits for another one of rank 1, which computes for ever.
 *
 * TROUBLE_PIPES names the ends of that pipe, of one for what rank 0 passes to others, and of one by which rank 1 answers. No rank ends by itself after
 * that, so that somebody can look at the job. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "network.h"

#define CALLS 5
#define COUNT 4
/* Elements of a long call. */
#define MANY (16 << 20)

static float in[MANY], out[MANY];

/* A descriptor of TROUBLE_PIPES: three pipes, of each the end for reading and that for writing. */
static int end_of_pipe(int number)
{
    int ends[6];
    CHECK(sscanf(getenv("TROUBLE_PIPES"), "%d,%d,%d,%d,%d,%d", &ends[0], &ends[1], &ends[2], &ends[3], &ends[4],
                 &ends[5]) == 6);
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

static void send_to(int rank)
{
    CHECK(MPI_Send(in, COUNT, MPI_FLOAT, rank, 5, MPI_COMM_WORLD) == MPI_SUCCESS);
}

static void receive_from(int rank)
{
    MPI_Recv(out, COUNT, MPI_FLOAT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void leave(void)
{
    MPI_Finalize();
}

/* The communicator that ends is MPI_COMM_WORLD, and the call is made on a copy of it. */
static MPI_Comm copy;

static void begin_other(int rank)
{
    (void)rank;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
}

static void end_other(void)
{
    leave();
}

static void call_beside(void)
{
    MPI_Allreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, copy);
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
int ncclSend(const void *in, size_t count, int datatype, int peer, void *comm, void *stream);
int ncclRecv(void *out, size_t count, int datatype, int peer, void *comm, void *stream);
int ncclAllReduce(const void *in, void *out, size_t count, int datatype, int op, void *comm, void *stream);
#define NCCL_FLOAT 7
#define NCCL_SUM 0

static void *comm, *other;

/* Rank 0 passes the id to the others by a pipe. */
static void *communicator(int rank)
{
    int size = atoi(getenv("ANYCCL_WORLD_SIZE"));
    ncclUniqueId id;
    void *made;
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&id) == 0);
        for (int other = 1; other < size; other++)
            CHECK(write(end_of_pipe(3), &id, sizeof id) == sizeof id);
    } else {
        CHECK(read(end_of_pipe(2), &id, sizeof id) == sizeof id);
    }
    CHECK(ncclCommInitRank(&made, size, id, rank) == 0);
    return made;
}

static int begin(void)
{
    int rank = atoi(getenv("ANYCCL_RANK"));
    comm = communicator(rank);
    return rank;
}

static void begin_other(int rank)
{
    other = communicator(rank);
}

static void end_other(void)
{
    ncclCommDestroy(other);
}

static int all_reduce(int count)
{
    return ncclAllReduce(in, out, (size_t)count, NCCL_FLOAT, NCCL_SUM, comm, NULL) == 0;
}

static int broadcast(int root)
{
    return ncclBroadcast(in, out, COUNT, NCCL_FLOAT, root, comm, NULL) == 0;
}

static void send_to(int rank)
{
    CHECK(ncclSend(in, COUNT, NCCL_FLOAT, rank, comm, NULL) == 0);
}

static void receive_from(int rank)
{
    ncclRecv(out, COUNT, NCCL_FLOAT, rank, comm, NULL);
}

static void leave(void)
{
    ncclCommDestroy(comm);
}

static void call_beside(void)
{
    all_reduce(COUNT);
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

static void send_to(int rank)
{
    CHECK_OK(anyccl_send(in, COUNT, ANYCCL_FLOAT32, rank, 5, ANYCCL_WORLD));
}

static void receive_from(int rank)
{
    (void)!anyccl_recv(out, COUNT, ANYCCL_FLOAT32, rank, 5, ANYCCL_WORLD, NULL);
}

static void leave(void)
{
    CHECK(anyccl_finalize() == ANYCCL_ERR_MISMATCH);
}

static anyccl_comm_t other;

static void begin_other(int rank)
{
    int size = atoi(getenv("ANYCCL_WORLD_SIZE"));
    anyccl_unique_id_t id;
    if (rank == 0)
        CHECK_OK(anyccl_get_unique_id(&id));
    CHECK_OK(anyccl_broadcast(&id, &id, sizeof id, ANYCCL_BYTE, 0, ANYCCL_WORLD));
    CHECK_OK(anyccl_comm_create(&id, size, rank, NULL, &other));
}

static void end_other(void)
{
    (void)!anyccl_comm_destroy(other);
}

static void call_beside(void)
{
    all_reduce(COUNT);
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

/* Each rank sends a message to the next. */
static void pass_messages(int rank)
{
    int size = atoi(getenv("ANYCCL_WORLD_SIZE"));
    send_to((rank + 1) % size);
    receive_from((rank + size - 1) % size);
    all_reduce(COUNT);
}

static void swallow_all(int signal)
{
    (void)signal;
    swallow();
}

/* Nothing is sent over the link before that. */
static void spoil_network(int rank, int is_slow)
{
    char byte = 0;
    if (rank == 0 && is_slow)
        slow_down();
    if (rank == 0)
        CHECK(read(end_of_pipe(4), &byte, 1) == 1);
    if (rank != 1)
        return;
    if (is_slow)
        signal(SIGUSR1, swallow_all);
    else
        swallow();
    CHECK(write(end_of_pipe(5), &byte, 1) == 1);
}

/* What rank 1 does. Returns the number of elements of its next call. */
static int make_trouble(const char *trouble)
{
    if (strcmp(trouble, "stop") == 0)
        raise(SIGSTOP);
    else if (strcmp(trouble, "gone") == 0)
        _exit(0);
    else if (strcmp(trouble, "count") == 0)
        return COUNT + 1;
    else if (strcmp(trouble, "leave") == 0)
        leave();
    else if (strcmp(trouble, "compute") == 0 || strcmp(trouble, "message") == 0)
        for (volatile unsigned turns = 0;;)
            turns = turns + 1;
    return COUNT;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    const char *trouble = argv[1];
    int rank = begin(), count = COUNT;
    int is_slow = strcmp(trouble, "slow") == 0, is_network = is_slow || strcmp(trouble, "silent") == 0;
    int ends = strcmp(trouble, "destroy") == 0, stays = strcmp(trouble, "stay") == 0;
    for (int call = 0; call < CALLS; call++)
        CHECK(all_reduce(COUNT));
    if (ends || stays)
        begin_other(rank);
    if (strcmp(trouble, "message") == 0)
        pass_messages(rank);
    if (is_network && rank < 2)
        find_connections(rank, end_of_pipe(2), end_of_pipe(3));
    wait_for_others(rank);
    if (is_network)
        spoil_network(rank, is_slow);
    if (rank == 1)
        count = make_trouble(trouble);
    if (ends || stays)
        (ends == (rank == 1) ? end_other : call_beside)();
    else if (strcmp(trouble, "root") == 0)
        broadcast(rank == 1);
    else if (strcmp(trouble, "message") == 0 && rank == 0)
        receive_from(1);
    else if (strcmp(trouble, "message") != 0 && (rank != 1 || strcmp(trouble, "leave") != 0))
        all_reduce(is_slow ? MANY : count);
    for (;;)
        pause();
}
