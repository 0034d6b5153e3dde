/* Ranks that end their communicators in different orders, by destroying and by finalizing them.
 *
 *     orders PROCESSES THREADS          ends well, and finds ranks that have made different calls
 *     orders exits PROCESSES            the first rank exits with a communicator that it has not destroyed. Prints
 *                                       only what the library logs. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ranks.h"

#define COMMS 3

/* How the ranks end their communicators. Those that finalize all then destroy all, in another order. */
enum way { DESTROY, FINALIZE, FINALIZE_NON_BLOCKING, WAYS };

/* Memory that the processes share beside NCCL. */
struct shared {
    ncclUniqueId ids[2][WAYS][COMMS];
    atomic_int first_is_gone;
};

static struct shared *shared;
static int size;

/* One rank in one run: all end COMMS communicators in one way. */
struct rank {
    pthread_t thread;
    int rank;
    enum way way;
    int calls_differ;
};

/* Number of calls of this process that have returned that the ranks have made different calls. */
static atomic_int disagreements;

static void note(ncclResult_t result)
{
    CHECK(result == ncclSuccess || result == ncclInvalidUsage);
    if (result == ncclInvalidUsage)
        atomic_fetch_add(&disagreements, 1);
}

/* Waits for the end of what a call has begun on a communicator, and returns its result. */
static ncclResult_t settled(ncclResult_t result, ncclComm_t comm)
{
    while (result == ncclInProgress) {
        sched_yield();
        CHECK_OK(ncclCommGetAsyncError(comm, &result));
    }
    return result;
}

/* The communicator that a rank ends as its `turn`th. All rotations of both directions are there. */
static int choice(int rank, int turn)
{
    const int at = (turn + rank / 2) % COMMS;
    return rank % 2 == 0 ? at : COMMS - 1 - at;
}

static void end_all(const struct rank *self, ncclComm_t *comms)
{
    for (int turn = 0; self->way != DESTROY && turn < COMMS; turn++) {
        ncclComm_t comm = comms[choice(self->rank, turn)];
        note(settled(ncclCommFinalize(comm), comm));
    }
    for (int turn = 0; turn < COMMS; turn++)
        note(ncclCommDestroy(comms[choice(self->rank + (self->way != DESTROY), turn)]));
}

static void *live(void *argument)
{
    struct rank *self = argument;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comms[COMMS];
    config.blocking = self->way != FINALIZE_NON_BLOCKING;
    for (int i = 0; i < COMMS; i++) {
        int value = self->rank, sum = 0;
        const ncclUniqueId id = shared->ids[self->calls_differ][self->way][i];
        ncclResult_t result = ncclCommInitRankConfig(&comms[i], size, id, self->rank, &config);
        CHECK(settled(result, comms[i]) == ncclSuccess);
        result = ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, comms[i], NULL);
        CHECK(settled(result, comms[i]) == ncclSuccess);
        CHECK(sum == size * (size - 1) / 2);
    }
    /* In a broadcast in which each rank is the root, no rank receives. */
    if (self->calls_differ) {
        int value = 0;
        note(settled(ncclBroadcast(&value, &value, 1, ncclInt, self->rank, comms[1], NULL), comms[1]));
    }
    end_all(self, comms);
    return NULL;
}

/* Runs the ranks of one process. */
static void run_process(int process, int threads, enum way way, int calls_differ)
{
    struct rank *ranks = calloc((size_t)threads, sizeof *ranks);
    CHECK(ranks != NULL);
    atomic_store(&disagreements, 0);
    for (int i = 0; i < threads; i++) {
        ranks[i].rank = process * threads + i;
        ranks[i].way = way;
        ranks[i].calls_differ = calls_differ;
        CHECK(pthread_create(&ranks[i].thread, NULL, live, &ranks[i]) == 0);
    }
    for (int i = 0; i < threads; i++)
        CHECK(pthread_join(ranks[i].thread, NULL) == 0);
    /* Each process finds out, whatever it has waited for. */
    CHECK(calls_differ ? atomic_load(&disagreements) > 0 : atomic_load(&disagreements) == 0);
    free(ranks);
}

static void run_ways(int process, int threads)
{
    for (int calls_differ = 0; calls_differ < 2; calls_differ++)
        for (enum way way = DESTROY; way < WAYS; way++)
            run_process(process, threads, way, calls_differ);
}

/* The first rank destroys a communicator, and exits while another one lives. The other ranks still finish a call of
 * which the first one has done its part, and they end in good order. */
static void exit_early(int rank, int unused)
{
    (void)unused;
    ncclComm_t used, idle, left;
    int value = 7;
    CHECK_OK(ncclCommInitRank(&used, size, shared->ids[0][0][0], rank));
    CHECK_OK(ncclCommInitRank(&idle, size, shared->ids[0][0][1], rank));
    CHECK_OK(ncclCommInitRank(&left, size, shared->ids[0][0][2], rank));
    while (rank != 0 && !atomic_load(&shared->first_is_gone))
        sched_yield();
    if (rank != 0)
        value = 0;
    CHECK_OK(ncclBcast(&value, 1, ncclInt, 0, used, NULL));
    CHECK(value == 7);
    CHECK_OK(ncclCommDestroy(used));
    CHECK_OK(ncclCommDestroy(idle));
    if (rank != 0)
        CHECK_OK(ncclCommAbort(left));
}

static void run_processes(int processes, int threads, void (*body)(int process, int threads))
{
    pid_t *children = calloc((size_t)processes, sizeof *children);
    CHECK(children != NULL);
    for (int process = 0; process < processes; process++) {
        children[process] = fork();
        CHECK(children[process] >= 0);
        if (children[process] == 0) {
            body(process, threads);
            exit(0);
        }
    }
    for (int process = 0; process < processes; process++) {
        int status;
        CHECK(waitpid(children[process], &status, 0) == children[process]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        atomic_store(&shared->first_is_gone, 1);
    }
    free(children);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    const int exits = strcmp(argv[1], "exits") == 0;
    const int processes = atoi(argv[exits ? 2 : 1]), threads = exits ? 1 : atoi(argv[2]);
    CHECK(processes >= 1 && threads >= 1);
    size = processes * threads;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    for (int calls_differ = 0; calls_differ < 2; calls_differ++)
        for (int way = 0; way < WAYS; way++)
            for (int i = 0; i < COMMS; i++)
                make_id(&shared->ids[calls_differ][way][i]);
    run_processes(processes, threads, exits ? exit_early : run_ways);
    return 0;
}
