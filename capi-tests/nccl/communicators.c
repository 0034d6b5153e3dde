/* Tests of the life of communicators: made from others, non-blocking, revoked, aborted during a call, grown, and
 * shrunk with and without the loss of a rank. */
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "ranks.h"

/* Checks that every rank takes part: an all-reduce gives the sum of their numbers. */
static void works(ncclComm_t comm)
{
    int rank, size, value, sum = -1;
    CHECK_OK(ncclCommUserRank(comm, &rank));
    CHECK_OK(ncclCommCount(comm, &size));
    value = rank;
    CHECK_OK(ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, comm, NULL));
    CHECK(sum == size * (size - 1) / 2);
}

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

/* Checks that a result is one that a call on a non-blocking communicator may return. */
#define CHECK_BEGUN(call)                                                                                              \
    do {                                                                                                               \
        const ncclResult_t begun_ = (call);                                                                            \
        CHECK(begun_ == ncclSuccess || begun_ == ncclInProgress);                                                      \
    } while (0)

static void split(const struct harness *harness)
{
    ncclComm_t part = (ncclComm_t)1, reversed, twins[2];
    int rank, size;
    /* The first rank belongs to no part. */
    CHECK_OK(ncclCommSplit(harness->comm, harness->rank == 0 ? NCCL_SPLIT_NOCOLOR : harness->rank % 2, harness->rank,
                           &part, NULL));
    if (harness->rank == 0) {
        CHECK(part == NULL);
    } else {
        works(part);
        CHECK_OK(ncclCommDestroy(part));
    }
    CHECK_OK(ncclCommSplit(harness->comm, 7, -harness->rank, &reversed, NULL));
    CHECK_OK(ncclCommUserRank(reversed, &rank));
    CHECK_OK(ncclCommCount(reversed, &size));
    CHECK(rank == harness->size - 1 - harness->rank && size == harness->size);
    works(reversed);
    CHECK_OK(ncclCommDestroy(reversed));
    /* Two splits in one group. */
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclCommSplit(harness->comm, 0, 0, &twins[0], NULL));
    CHECK_OK(ncclCommSplit(harness->comm, 1, 0, &twins[1], NULL));
    CHECK_OK(ncclGroupEnd());
    works(twins[1]);
    works(twins[0]);
    CHECK_OK(ncclCommDestroy(twins[0]));
    CHECK_OK(ncclCommDestroy(twins[1]));
    CHECK_RESULT(ncclInvalidArgument, ncclCommSplit(harness->comm, -5, 0, &part, NULL));
}

static void non_blocking(const struct harness *harness)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comm;
    int value = harness->rank, sum = -1, sums[2] = {-1, -1};
    config.blocking = 0;
    config.commName = "patient";
    CHECK_BEGUN(ncclCommSplit(harness->comm, 0, harness->rank, &comm, &config));
    CHECK(comm != NULL);
    CHECK(settled(comm) == ncclSuccess && settled(harness->comm) == ncclSuccess);
    CHECK_BEGUN(ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, comm, NULL));
    CHECK(settled(comm) == ncclSuccess);
    CHECK(sum == harness->size * (harness->size - 1) / 2);
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclAllReduce(&value, &sums[0], 1, ncclInt, ncclMax, comm, NULL));
    CHECK_OK(ncclAllReduce(&value, &sums[1], 1, ncclInt, ncclMin, comm, NULL));
    CHECK_BEGUN(ncclGroupEnd());
    CHECK(settled(comm) == ncclSuccess);
    CHECK(sums[0] == harness->size - 1 && sums[1] == 0);
    CHECK_BEGUN(ncclCommFinalize(comm));
    CHECK(settled(comm) == ncclSuccess);
    CHECK_RESULT(ncclInvalidUsage, ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, comm, NULL));
    CHECK_OK(ncclCommDestroy(comm));
}

/* The new communicator leaves the last rank out. That rank does not call. */
static void shrink(const struct harness *harness)
{
    int leaving = harness->size - 1, size;
    ncclComm_t smaller;
    if (harness->size < 2 || harness->rank == leaving)
        return;
    CHECK_OK(ncclCommShrink(harness->comm, &leaving, 1, &smaller, NULL, NCCL_SHRINK_DEFAULT));
    CHECK_OK(ncclCommCount(smaller, &size));
    CHECK(size == harness->size - 1);
    works(smaller);
    CHECK_OK(ncclCommDestroy(smaller));
}

static void suspend(const struct harness *harness)
{
    int value = 0;
    uint64_t is_suspended = 9, bytes = 9;
    CHECK_OK(ncclCommSuspend(harness->comm, NCCL_SUSPEND_MEM));
    CHECK_OK(ncclCommMemStats(harness->comm, ncclStatGpuMemSuspended, &is_suspended));
    CHECK_OK(ncclCommMemStats(harness->comm, ncclStatGpuMemTotal, &bytes));
    CHECK(is_suspended == 1 && bytes == 0);
    CHECK_RESULT(ncclInvalidUsage, ncclAllReduce(&value, &value, 1, ncclInt, ncclSum, harness->comm, NULL));
    CHECK_OK(ncclCommResume(harness->comm));
    CHECK_RESULT(ncclInvalidUsage, ncclCommResume(harness->comm));
    works(harness->comm);
}

/* A revoked communicator takes no calls. Its ranks can still make another communicator from it. */
static void revoked(const struct harness *harness)
{
    ncclComm_t comm, next;
    int value = 0;
    ncclResult_t result;
    CHECK_OK(ncclCommSplit(harness->comm, 0, harness->rank, &comm, NULL));
    works(comm);
    works(harness->comm);
    CHECK_OK(ncclCommRevoke(comm, NCCL_REVOKE_DEFAULT));
    CHECK_OK(ncclCommGetAsyncError(comm, &result));
    CHECK(result == ncclSuccess);
    CHECK_RESULT(ncclInvalidUsage, ncclAllReduce(&value, &value, 1, ncclInt, ncclSum, comm, NULL));
    CHECK_RESULT(ncclInvalidUsage, ncclCommFinalize(comm));
    CHECK_OK(ncclCommSplit(comm, 0, harness->rank, &next, NULL));
    works(next);
    CHECK_OK(ncclCommDestroy(next));
    CHECK_OK(ncclCommDestroy(comm));
}

static void everything(struct harness *harness)
{
    works(harness->comm);
    split(harness);
    non_blocking(harness);
    shrink(harness);
    works(harness->comm);
    suspend(harness);
    revoked(harness);
    works(harness->comm);
}

/* One thread waits in a call that no rank answers. Another thread aborts it. */
struct stuck {
    ncclComm_t comm;
    ncclResult_t result;
};

static void *wait_without_sender(void *argument)
{
    struct stuck *stuck = argument;
    float value = 0;
    stuck->result = ncclRecv(&value, 1, ncclFloat, 1, stuck->comm, NULL);
    return NULL;
}

static void abort_from_outside(void)
{
    ncclComm_t comms[2];
    pthread_t thread;
    ncclResult_t result;
    CHECK_OK(ncclCommInitAll(comms, 2, NULL));
    struct stuck stuck = {comms[0], ncclSuccess};
    CHECK(pthread_create(&thread, NULL, wait_without_sender, &stuck) == 0);
    /* The call fails, whether or not the thread is already inside. */
    CHECK_OK(ncclCommGetAsyncError(comms[0], &result));
    CHECK(result == ncclSuccess);
    CHECK_OK(ncclCommAbort(comms[0]));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(stuck.result != ncclSuccess && stuck.result != ncclInProgress);
    CHECK(settled(comms[1]) == ncclRemoteError);
    CHECK(strstr(ncclGetLastError(comms[1]), "ncclCommAbort") != NULL);
    CHECK_OK(ncclCommDestroy(comms[1]));
}

/* A non-blocking communicator whose other rank never joins can be aborted. */
static void abort_while_forming(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t comm;
    ncclResult_t result;
    int size;
    config.blocking = 0;
    CHECK_OK(ncclGetUniqueId(&id));
    CHECK_RESULT(ncclInProgress, ncclCommInitRankConfig(&comm, 2, id, 0, &config));
    CHECK_OK(ncclCommGetAsyncError(comm, &result));
    CHECK(result == ncclInProgress);
    CHECK_RESULT(ncclInvalidArgument, ncclCommCount(comm, &size));
    CHECK_OK(ncclCommAbort(comm));
    CHECK_RESULT(ncclInvalidArgument, ncclCommGetAsyncError(comm, &result));
}

/* Two communicators of one grow into one of three. */
static void grow(void)
{
    ncclComm_t pair[2], grown[3];
    ncclUniqueId id;
    CHECK_OK(ncclCommInitAll(pair, 2, NULL));
    CHECK_OK(ncclCommGetUniqueId(pair[0], &id));
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclCommGrow(pair[0], 3, &id, -1, &grown[0], NULL));
    CHECK_OK(ncclCommGrow(pair[1], 3, NULL, -1, &grown[1], NULL));
    CHECK_OK(ncclCommGrow(NULL, 3, &id, 2, &grown[2], NULL));
    CHECK_OK(ncclGroupEnd());
    int values[3] = {1, 10, 100}, sums[3];
    CHECK_OK(ncclGroupStart());
    for (int rank = 0; rank < 3; rank++)
        CHECK_OK(ncclAllReduce(&values[rank], &sums[rank], 1, ncclInt, ncclSum, grown[rank], NULL));
    CHECK_OK(ncclGroupEnd());
    CHECK(sums[0] == 111 && sums[1] == 111 && sums[2] == 111);
    for (int rank = 0; rank < 3; rank++)
        CHECK_OK(ncclCommDestroy(grown[rank]));
    CHECK_OK(ncclCommDestroy(pair[0]));
    CHECK_OK(ncclCommDestroy(pair[1]));
}

/* The last of `size` processes kills itself. The others get an error, and go on without it. */
static void survive(int size)
{
    ncclUniqueId id;
    int lost = size - 1;
    make_id(&id);
    for (int rank = 0; rank < size; rank++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child > 0)
            continue;
        ncclComm_t comm, left;
        int value = 1, sum = 0;
        CHECK_OK(ncclCommInitRank(&comm, size, id, rank));
        works(comm);
        if (rank == lost)
            raise(SIGKILL);
        CHECK_RESULT(ncclRemoteError, ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, comm, NULL));
        CHECK(settled(comm) == ncclRemoteError);
        CHECK_OK(ncclCommShrink(comm, &lost, 1, &left, NULL, NCCL_SHRINK_ABORT));
        works(left);
        CHECK_OK(ncclCommDestroy(left));
        CHECK_OK(ncclCommDestroy(comm));
        exit(0);
    }
    int ended = 0;
    for (int rank = 0; rank < size; rank++) {
        int status;
        CHECK(wait(&status) > 0);
        ended += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        CHECK(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
    }
    CHECK(ended == size - 1);
}

/* Ranks that share only the address in NCCL_COMM_ID make a communicator, twice with the same address. */
static void by_address(int size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char place[64];
    /* Binds a port without listening there. The ranks may listen there, as both sides allow that the address is
     * reused. The system gives the port to nobody else. */
    const int holder = socket(AF_INET, SOCK_STREAM, 0), reuse = 1;
    CHECK(holder >= 0 && setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0);
    CHECK(bind(holder, (struct sockaddr *)&address, length) == 0);
    CHECK(getsockname(holder, (struct sockaddr *)&address, &length) == 0);
    snprintf(place, sizeof place, "127.0.0.1:%d", ntohs(address.sin_port));
    CHECK(setenv("NCCL_COMM_ID", place, 1) == 0);
    for (int rank = 0; rank < size; rank++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child > 0)
            continue;
        for (int round = 0; round < 2; round++) {
            ncclUniqueId id;
            ncclComm_t comm;
            CHECK_OK(ncclGetUniqueId(&id));
            CHECK_OK(ncclCommInitRank(&comm, size, id, rank));
            works(comm);
            CHECK_OK(ncclCommDestroy(comm));
        }
        exit(0);
    }
    for (int rank = 0; rank < size; rank++) {
        int status;
        CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(unsetenv("NCCL_COMM_ID") == 0);
    CHECK(close(holder) == 0);
}

/* The target of a put need not wait for its signal: both communicators can be destroyed. */
static void put_without_wait(void)
{
    enum { BYTES = 8 << 20 };
    ncclComm_t pair[2];
    ncclWindow_t windows[2];
    char *memory = calloc(2, BYTES);
    CHECK(memory != NULL);
    CHECK_OK(ncclCommInitAll(pair, 2, NULL));
    for (int rank = 0; rank < 2; rank++)
        CHECK_OK(ncclCommWindowRegister(pair[rank], memory, BYTES, &windows[rank], NCCL_WIN_DEFAULT));
    for (int rank = 0; rank < 2; rank++)
        CHECK_OK(ncclPutSignal(memory + BYTES, BYTES, ncclChar, 1 - rank, windows[rank], 0, 0, 0, 0, pair[rank], NULL));
    for (int rank = 0; rank < 2; rank++)
        CHECK_OK(ncclCommDestroy(pair[rank]));
    free(memory);
}

/* In a broadcast with two roots, no rank receives. The disagreement is reported when the communicators end. */
static void two_roots(void)
{
    ncclComm_t pair[2];
    CHECK_OK(ncclCommInitAll(pair, 2, NULL));
    for (int rank = 0; rank < 2; rank++) {
        int value = rank;
        CHECK_OK(ncclBroadcast(&value, &value, 1, ncclInt, rank, pair[rank], NULL));
    }
    /* The first rank leaves without an error, because the second one is still there. */
    CHECK_OK(ncclCommDestroy(pair[0]));
    CHECK_RESULT(ncclInvalidUsage, ncclCommDestroy(pair[1]));
}

int main(int argc, char **argv)
{
    const struct spread spread = spread_from(argc, argv);
    run_ranks(spread, everything);
    if (spread.processes == 1) {
        abort_from_outside();
        grow();
        put_without_wait();
        two_roots();
        abort_while_forming();
    } else if (spread.threads == 1) {
        survive(spread.processes);
        by_address(spread.processes);
    }
    return 0;
}
