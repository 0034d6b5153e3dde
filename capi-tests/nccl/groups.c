/* Messages from rank to rank, and groups: calls that need each other, several communicators in one thread, refused
 * arguments that leave the group whole. */
#include <string.h>

#include "check.h"
#include "ranks.h"
#include "values.h"

#define COUNT 300

/* Everybody sends to everybody, itself included, in one group, with lengths that differ from pair to pair. */
static void exchange(const struct bed *bed, size_t step)
{
    const int size = bed->size;
    int *send = malloc(sizeof(int) * COUNT * (size_t)size), *recv = calloc(COUNT * (size_t)size, sizeof(int));
    CHECK(send != NULL && recv != NULL);
    CHECK_OK(ncclGroupStart());
    for (int peer = 0; peer < size; peer++) {
        const size_t out = (size_t)(bed->rank + 2 * peer) * step, in = (size_t)(peer + 2 * bed->rank) * step;
        for (size_t i = 0; i < out; i++)
            send[(size_t)peer * COUNT + i] = bed->rank * 1000 + peer * 100 + (int)i;
        /* Nesting counts. */
        CHECK_OK(ncclGroupStart());
        CHECK_OK(ncclRecv(recv + (size_t)peer * COUNT, in, ncclInt, peer, bed->comm, NULL));
        CHECK_OK(ncclSend(send + (size_t)peer * COUNT, out, ncclInt, peer, bed->comm, NULL));
        CHECK_OK(ncclGroupEnd());
    }
    CHECK_OK(ncclGroupEnd());
    for (int peer = 0; peer < size; peer++)
        for (size_t i = 0; i < (size_t)(peer + 2 * bed->rank) * step; i++)
            CHECK(recv[(size_t)peer * COUNT + i] == peer * 1000 + bed->rank * 100 + (int)i);
    free(send);
    free(recv);
}

/* Several messages of a pair meet in the order of the calls. */
static void order(const struct bed *bed)
{
    const int next = (bed->rank + 1) % bed->size, before = (bed->rank + bed->size - 1) % bed->size;
    int out[5], in[5] = {0};
    CHECK_OK(ncclGroupStart());
    for (int i = 0; i < 5; i++) {
        out[i] = 10 * bed->rank + i;
        CHECK_OK(ncclSend(&out[i], 1, ncclInt, next, bed->comm, NULL));
        CHECK_OK(ncclRecv(&in[i], 1, ncclInt, before, bed->comm, NULL));
    }
    CHECK_OK(ncclGroupEnd());
    for (int i = 0; i < 5; i++)
        CHECK(in[i] == 10 * before + i);
}

/* Outside of a group, a send and a receive are calls of their own. */
static void one_by_one(const struct bed *bed)
{
    float value = (float)bed->rank;
    for (int rank = 0; rank + 1 < bed->size; rank++) {
        if (bed->rank == rank)
            CHECK_OK(ncclSend(&value, 1, ncclFloat, rank + 1, bed->comm, NULL));
        if (bed->rank == rank + 1) {
            CHECK_OK(ncclRecv(&value, 1, ncclFloat, rank, bed->comm, NULL));
            CHECK(value == (float)rank);
            value = (float)bed->rank;
        }
    }
}

/* A call that is refused is as if it had not been made. */
static void refusals(const struct bed *bed)
{
    int value = bed->rank, sum = -1;
    CHECK_OK(ncclGroupStart());
    CHECK_RESULT(ncclInvalidArgument, ncclSend(&value, 1, ncclInt, bed->size, bed->comm, NULL));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, NULL, 1, ncclInt, ncclSum, bed->comm, NULL));
    CHECK_OK(ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, bed->comm, NULL));
    CHECK(sum == -1);
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, &sum, 1, (ncclDataType_t)99, ncclSum, bed->comm, NULL));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, &sum, 1, ncclInt, (ncclRedOp_t)17, bed->comm, NULL));
    CHECK_OK(ncclGroupEnd());
    CHECK(sum == bed->size * (bed->size - 1) / 2);
    CHECK(strlen(ncclGetLastError(NULL)) > 0 && strlen(ncclGetLastError(bed->comm)) > 0);
    CHECK_RESULT(ncclInvalidUsage, ncclGroupEnd());
    CHECK_RESULT(ncclInvalidArgument, ncclBroadcast(&value, &sum, 1, ncclInt, -1, bed->comm, NULL));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, NULL, NULL));
}

/* A message that is shorter than its receive is a mistake of the program, and says so. */
static void too_short(const struct bed *bed)
{
    int out = 1, in[2];
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclSend(&out, 1, ncclInt, bed->rank, bed->comm, NULL));
    CHECK_OK(ncclRecv(in, 2, ncclInt, bed->rank, bed->comm, NULL));
    CHECK_RESULT(ncclInvalidUsage, ncclGroupEnd());
    CHECK(strstr(ncclGetLastError(NULL), "ncclRecv of 2 elements met an ncclSend of 1") != NULL);
}

/* Collectives in one group, and the estimate of one, which begins nothing. */
static void aggregation(const struct bed *bed)
{
    int a = bed->rank, b = 1, sum = -1, count = -1;
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclAllReduce(&a, &sum, 1, ncclInt, ncclSum, bed->comm, NULL));
    CHECK_OK(ncclSend(&a, 1, ncclInt, 0, bed->comm, NULL));
    CHECK_OK(ncclGroupSimulateEnd(&info));
    CHECK(info.estimatedTime > 0 && sum == -1);
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclAllReduce(&a, &sum, 1, ncclInt, ncclSum, bed->comm, NULL));
    CHECK_OK(ncclAllReduce(&b, &count, 1, ncclInt, ncclSum, bed->comm, (cudaStream_t)8));
    CHECK_OK(ncclGroupEnd());
    CHECK(sum == bed->size * (bed->size - 1) / 2 && count == bed->size);
}

/* Sums of what each rank has multiplied by a number of its own. */
static void scaled(const struct bed *bed)
{
    for (int type = 0; type < ncclNumTypes; type++) {
        char scalar[8], send[8], recv[8];
        ncclRedOp_t immediate, deferred;
        store(type, scalar, 0, 2);
        store(type, send, 0, bed->rank % 2);
        CHECK_OK(ncclRedOpCreatePreMulSum(&immediate, scalar, type, ncclScalarHostImmediate, bed->comm));
        store(type, scalar, 0, bed->rank % 2 ? 1 : 3);
        CHECK_OK(ncclRedOpCreatePreMulSum(&deferred, scalar, type, ncclScalarDevice, bed->comm));
        CHECK((int)immediate >= ncclNumOps && (int)deferred >= ncclNumOps);
        CHECK_OK(ncclAllReduce(send, recv, 1, type, immediate, bed->comm, NULL));
        CHECK(load(type, recv, 0) == 2 * (bed->size / 2));
        CHECK_OK(ncclGroupStart());
        CHECK_OK(ncclAllReduce(send, recv, 1, type, deferred, bed->comm, NULL));
        CHECK_OK(ncclRedOpDestroy(deferred, bed->comm)); /* Once the last call that is given it has returned. */
        CHECK_OK(ncclGroupEnd());
        CHECK(load(type, recv, 0) == bed->size / 2);
        CHECK_OK(ncclRedOpDestroy(immediate, bed->comm));
        CHECK_RESULT(ncclInvalidArgument, ncclRedOpDestroy(immediate, bed->comm));
    }
    CHECK_RESULT(ncclInvalidArgument, ncclRedOpDestroy(ncclSum, bed->comm));
}

/* What a rank puts into the windows of all is there when they have waited for its signal. Large enough to be more than what
 * leaves unasked. */
static void windows(const struct bed *bed)
{
    enum { ROOM = 100000 };
    const int size = bed->size, rank = bed->rank;
    int *memory = calloc((size_t)size * ROOM, sizeof(int)), *mine = malloc(ROOM * sizeof(int));
    ncclWaitSignalDesc_t *signals = calloc((size_t)size, sizeof *signals);
    ncclWindow_t window, other;
    void *found = NULL;
    CHECK(memory != NULL && mine != NULL && signals != NULL);
    CHECK_OK(ncclCommWindowRegister(bed->comm, memory, (size_t)size * ROOM * sizeof(int), &window, NCCL_WIN_COLL_SYMMETRIC));
    CHECK_OK(ncclCommWindowRegister(bed->comm, NULL, 0, &other, NCCL_WIN_DEFAULT));
    CHECK_OK(ncclWinGetUserPtr(bed->comm, window, &found));
    CHECK(window != other && found == memory);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < ROOM; i++)
            mine[i] = round * 7 + rank * ROOM + i;
        if (round == 2)
            CHECK_OK(ncclGroupStart());
        for (int peer = 0; peer < size; peer++) {
            /* Twice: the second half, then the first. */
            for (int half = 1; half >= 0; half--)
                CHECK_OK(ncclPutSignal(mine + half * ROOM / 2, ROOM / 2, ncclInt, peer, window,
                                       sizeof(int) * (size_t)(rank * ROOM + half * ROOM / 2), 0, 0, 0, bed->comm, NULL));
            signals[peer] = (ncclWaitSignalDesc_t){2, peer, 0, 0};
        }
        memset(mine, 0, ROOM * sizeof(int)); /* A put has read it. */
        CHECK_OK(ncclWaitSignal(size, signals, bed->comm, NULL));
        if (round == 2)
            CHECK_OK(ncclGroupEnd());
        for (int i = 0; i < size * ROOM; i++)
            CHECK(memory[i] == round * 7 + i);
        /* All have looked before anybody puts again: each signals all, on another signal. */
        for (int peer = 0; peer < size; peer++) {
            CHECK_OK(ncclSignal(peer, 5, 1, 0, bed->comm, NULL));
            signals[peer] = (ncclWaitSignalDesc_t){1, peer, 5, 1};
        }
        CHECK_OK(ncclWaitSignal(size, signals, bed->comm, NULL));
    }
    CHECK_RESULT(ncclInvalidArgument, ncclSignal(0, -1, 0, 0, bed->comm, NULL));
    CHECK_OK(ncclCommWindowDeregister(bed->comm, window));
    CHECK_RESULT(ncclInvalidArgument, ncclCommWindowDeregister(bed->comm, window));
    CHECK_OK(ncclCommWindowDeregister(bed->comm, other));
    free(signals);
    free(mine);
    free(memory);
}

static void everything(struct bed *bed)
{
    windows(bed);
    exchange(bed, 1);
    exchange(bed, 12);
    order(bed);
    one_by_one(bed);
    refusals(bed);
    too_short(bed);
    aggregation(bed);
    scaled(bed);
}

/* One thread is all ranks: only a group can do that. */
static void alone(int size)
{
    ncclComm_t comms[8];
    int values[8], sums[8], devices[8] = {3, 1, 2, 0, 7, 6, 5, 4};
    ncclUniqueId id;
    CHECK_OK(ncclCommInitAll(comms, size, devices));
    for (int rank = 0; rank < size; rank++) {
        int device, own, count;
        CHECK_OK(ncclCommCuDevice(comms[rank], &device));
        CHECK_OK(ncclCommUserRank(comms[rank], &own));
        CHECK_OK(ncclCommCount(comms[rank], &count));
        CHECK(device == devices[rank] && own == rank && count == size);
    }
    CHECK_OK(ncclGroupStart());
    for (int rank = 0; rank < size; rank++) {
        values[rank] = rank;
        CHECK_OK(ncclAllReduce(&values[rank], &sums[rank], 1, ncclInt, ncclSum, comms[rank], NULL));
    }
    CHECK_OK(ncclGroupEnd());
    for (int rank = 0; rank < size; rank++)
        CHECK(sums[rank] == size * (size - 1) / 2);
    for (int rank = 0; rank < size; rank++)
        CHECK_OK(ncclCommFinalize(comms[rank]));
    for (int rank = 0; rank < size; rank++)
        CHECK_OK(ncclCommDestroy(comms[rank]));

    /* The same by an id, and destroyed without being finalized. */
    CHECK_OK(ncclGetUniqueId(&id));
    CHECK_OK(ncclGroupStart());
    for (int rank = 0; rank < size; rank++)
        CHECK_OK(ncclCommInitRank(&comms[rank], size, id, rank));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(values, sums, 1, ncclInt, ncclSum, comms[0], NULL));
    CHECK_OK(ncclGroupEnd());
    CHECK_OK(ncclGroupStart());
    for (int rank = 0; rank < size; rank++)
        CHECK_OK(ncclBcast(&values[rank], 1, ncclInt, size - 1, comms[rank], NULL));
    CHECK_OK(ncclGroupEnd());
    for (int rank = 0; rank < size; rank++) {
        CHECK(values[rank] == size - 1);
        CHECK_OK(ncclCommDestroy(comms[rank]));
    }
}

int main(int argc, char **argv)
{
    const struct spread spread = spread_from(argc, argv);
    run_ranks(spread, everything);
    if (spread.processes == 1)
        alone(spread.threads);
    return 0;
}
