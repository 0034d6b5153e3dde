/* Ranks that end a communicator by ncclCommAbort, ncclCommDestroy or ncclCommFinalize. Each rank chooses one,
 * and calls it as soon as its own calls have ended. No call of a slower rank may fail by that.
 *
 *     endings PROCESSES THREADS ROUNDS COUNT */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "ranks.h"

#define CALLS 3

/* Memory that the ranks share beside NCCL: the id of each round. */
struct round {
    ncclUniqueId id;
    atomic_int is_there;
};

static struct round *rounds;
static int round_count, count;

/* Polls until no call is in progress, and returns the result. */
static ncclResult_t settled(ncclComm_t comm)
{
    ncclResult_t result;
    do {
        sched_yield();
        CHECK_OK(ncclCommGetAsyncError(comm, &result));
    } while (result == ncclInProgress);
    return result;
}

/* Returns a number that is random in effect, and that depends on the round and the rank. */
static unsigned mixed(unsigned round, unsigned rank)
{
    unsigned word = (round * 31 + rank + 1) * 2654435761u;
    return word ^ word >> 15;
}

/* Waits for the end of a call that has returned `result`, and checks that it succeeded. `comm` is a pointer
 * because that call may write the communicator. */
static void finish(ncclResult_t result, const ncclComm_t *comm)
{
    if (result == ncclInProgress)
        result = settled(*comm);
    if (result != ncclSuccess)
        fprintf(stderr, "%s\n", ncclGetLastError(*comm));
    CHECK(result == ncclSuccess);
}

static void end(ncclComm_t comm, unsigned how)
{
    switch (how % 4) {
    case 0:
    case 1:
        CHECK_OK(ncclCommAbort(comm));
        return;
    case 2:
        CHECK_OK(ncclCommDestroy(comm));
        return;
    default:
        finish(ncclCommFinalize(comm), &comm);
        CHECK_OK(ncclCommDestroy(comm));
    }
}

static void one_round(struct harness *harness, unsigned number, float *in, float *out)
{
    struct round *round = &rounds[number];
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comm, used;
    if (harness->rank == 0) {
        CHECK_OK(ncclGetUniqueId(&round->id));
        atomic_store(&round->is_there, 1);
    }
    while (!atomic_load(&round->is_there))
        sched_yield();
    config.blocking = number % 2 == 0;
    finish(ncclCommInitRankConfig(&comm, harness->size, round->id, harness->rank, &config), &comm);
    used = comm;
    /* A communicator that is split from another shares its links. */
    if (number % 3 == 0)
        finish(ncclCommSplit(comm, 0, harness->rank, &used, &config), &comm);
    if (used != comm && !config.blocking)
        CHECK(settled(used) == ncclSuccess);
    for (int i = 0; i < count; i++)
        in[i] = (float)(harness->rank + 1);
    for (int call = 0; call < CALLS; call++) {
        memset(out, 0, sizeof(float) * (size_t)count);
        finish(ncclAllReduce(in, out, (size_t)count, ncclFloat, ncclSum, used, NULL), &used);
        CHECK(out[0] == (float)(harness->size * (harness->size + 1) / 2) && out[count - 1] == out[0]);
    }
    if (used != comm)
        end(used, mixed(number, (unsigned)harness->rank) >> 8);
    end(comm, mixed(number, (unsigned)harness->rank));
}

static void all_rounds(struct harness *harness)
{
    float *in = malloc(sizeof(float) * (size_t)count), *out = malloc(sizeof(float) * (size_t)count);
    CHECK(in != NULL && out != NULL);
    for (unsigned number = 0; number < (unsigned)round_count; number++)
        one_round(harness, number, in, out);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    CHECK(argc == 5);
    round_count = atoi(argv[3]);
    count = atoi(argv[4]);
    CHECK(round_count > 0 && count > 0);
    rounds =
        mmap(NULL, sizeof *rounds * (size_t)round_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(rounds != MAP_FAILED);
    run_ranks(spread_from(3, argv), all_rounds);
    return 0;
}
