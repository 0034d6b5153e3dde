/* Tests of messages and groups: calls that need each other, several communicators in one thread, and refused
 * arguments that leave the group whole. */
#include <string.h>

#include "check.h"
#include "ranks.h"
#include "values.h"

#define COUNT 300

/* Every rank sends to every rank, itself included, in one group. Lengths differ from pair to pair. */
static void exchange(const struct harness *harness, size_t step)
{
    const int size = harness->size;
    int *send = malloc(sizeof(int) * COUNT * (size_t)size), *recv = calloc(COUNT * (size_t)size, sizeof(int));
    CHECK(send != NULL && recv != NULL);
    CHECK_OK(ncclGroupStart());
    for (int peer = 0; peer < size; peer++) {
        const size_t out = (size_t)(harness->rank + 2 * peer) * step, in = (size_t)(peer + 2 * harness->rank) * step;
        for (size_t i = 0; i < out; i++)
            send[(size_t)peer * COUNT + i] = harness->rank * 1000 + peer * 100 + (int)i;
        /* A nested group ends with the outermost one. */
        CHECK_OK(ncclGroupStart());
        CHECK_OK(ncclRecv(recv + (size_t)peer * COUNT, in, ncclInt, peer, harness->comm, NULL));
        CHECK_OK(ncclSend(send + (size_t)peer * COUNT, out, ncclInt, peer, harness->comm, NULL));
        CHECK_OK(ncclGroupEnd());
    }
    CHECK_OK(ncclGroupEnd());
    for (int peer = 0; peer < size; peer++)
        for (size_t i = 0; i < (size_t)(peer + 2 * harness->rank) * step; i++)
            CHECK(recv[(size_t)peer * COUNT + i] == peer * 1000 + harness->rank * 100 + (int)i);
    free(send);
    free(recv);
}

/* Several messages of a pair match in the order of the calls. */
static void order(const struct harness *harness)
{
    const int next = (harness->rank + 1) % harness->size, before = (harness->rank + harness->size - 1) % harness->size;
    int out[5], in[5] = {0};
    CHECK_OK(ncclGroupStart());
    for (int i = 0; i < 5; i++) {
        out[i] = 10 * harness->rank + i;
        CHECK_OK(ncclSend(&out[i], 1, ncclInt, next, harness->comm, NULL));
        CHECK_OK(ncclRecv(&in[i], 1, ncclInt, before, harness->comm, NULL));
    }
    CHECK_OK(ncclGroupEnd());
    for (int i = 0; i < 5; i++)
        CHECK(in[i] == 10 * before + i);
}

/* Many calls in one group. The last rank makes its first one when rank 0 has started all of them, and its message. */
static void thousands(const struct harness *harness)
{
    const int size = harness->size, rank = harness->rank, last = size - 1, calls = size > 4 ? 1000 : 3000;
    int *out = malloc(sizeof(int) * (size_t)calls), *in = malloc(sizeof(int) * (size_t)calls), word = 1;
    CHECK(out != NULL && in != NULL);
    if (rank == last && last > 0)
        CHECK_OK(ncclRecv(&word, 1, ncclInt, 0, harness->comm, NULL));
    CHECK_OK(ncclGroupStart());
    for (int i = 0; i < calls; i++) {
        out[i] = 10 * i + rank;
        in[i] = -1;
        switch (i % 3) {
        case 0:
            CHECK_OK(ncclAllReduce(&out[i], &in[i], 1, ncclInt, ncclSum, harness->comm, NULL));
            break;
        case 1:
            CHECK_OK(ncclBroadcast(&out[i], &in[i], 1, ncclInt, i % size, harness->comm, NULL));
            break;
        default:
            CHECK_OK(ncclReduce(&out[i], &in[i], 1, ncclInt, ncclMax, i % size, harness->comm, NULL));
        }
    }
    if (rank == 0 && last > 0)
        CHECK_OK(ncclSend(&word, 1, ncclInt, last, harness->comm, NULL));
    CHECK_OK(ncclGroupEnd());
    for (int i = 0; i < calls; i++) {
        const int expected[] = {size * 10 * i + size * last / 2, 10 * i + i % size, 10 * i + last};
        CHECK(in[i] == expected[i % 3] || (i % 3 == 2 && rank != i % size));
    }
    free(out);
    free(in);
}

/* Outside of a group, a send and a receive are calls of their own. */
static void one_by_one(const struct harness *harness)
{
    float value = (float)harness->rank;
    for (int rank = 0; rank + 1 < harness->size; rank++) {
        if (harness->rank == rank)
            CHECK_OK(ncclSend(&value, 1, ncclFloat, rank + 1, harness->comm, NULL));
        if (harness->rank == rank + 1) {
            CHECK_OK(ncclRecv(&value, 1, ncclFloat, rank, harness->comm, NULL));
            CHECK(value == (float)rank);
            value = (float)harness->rank;
        }
    }
}

/* A refused call has no effect. */
static void refusals(const struct harness *harness)
{
    int value = harness->rank, sum = -1;
    CHECK_OK(ncclGroupStart());
    CHECK_RESULT(ncclInvalidArgument, ncclSend(&value, 1, ncclInt, harness->size, harness->comm, NULL));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, NULL, 1, ncclInt, ncclSum, harness->comm, NULL));
    CHECK_OK(ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, harness->comm, NULL));
    CHECK(sum == -1);
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, &sum, 1, (ncclDataType_t)99, ncclSum, harness->comm, NULL));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, &sum, 1, ncclInt, (ncclRedOp_t)17, harness->comm, NULL));
    CHECK_OK(ncclGroupEnd());
    CHECK(sum == harness->size * (harness->size - 1) / 2);
    CHECK(strlen(ncclGetLastError(NULL)) > 0 && strlen(ncclGetLastError(harness->comm)) > 0);
    CHECK_RESULT(ncclInvalidUsage, ncclGroupEnd());
    CHECK_RESULT(ncclInvalidArgument, ncclBroadcast(&value, &sum, 1, ncclInt, -1, harness->comm, NULL));
    CHECK_RESULT(ncclInvalidArgument, ncclAllReduce(&value, &sum, 1, ncclInt, ncclSum, NULL, NULL));
}

/* A message that is shorter than its receive is an error of the program, and is reported. */
static void too_short(const struct harness *harness)
{
    int out = 1, in[2];
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclSend(&out, 1, ncclInt, harness->rank, harness->comm, NULL));
    CHECK_OK(ncclRecv(in, 2, ncclInt, harness->rank, harness->comm, NULL));
    CHECK_RESULT(ncclInvalidUsage, ncclGroupEnd());
    CHECK(strstr(ncclGetLastError(NULL), "ncclRecv of 2 elements met an ncclSend of 1") != NULL);
}

/* Collectives in one group, and the estimate of a group, which starts nothing. */
static void aggregation(const struct harness *harness)
{
    int a = harness->rank, b = 1, sum = -1, count = -1;
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclAllReduce(&a, &sum, 1, ncclInt, ncclSum, harness->comm, NULL));
    CHECK_OK(ncclSend(&a, 1, ncclInt, 0, harness->comm, NULL));
    CHECK_OK(ncclGroupSimulateEnd(&info));
    CHECK(info.estimatedTime > 0 && sum == -1);
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclAllReduce(&a, &sum, 1, ncclInt, ncclSum, harness->comm, NULL));
    CHECK_OK(ncclAllReduce(&b, &count, 1, ncclInt, ncclSum, harness->comm, (cudaStream_t)8));
    CHECK_OK(ncclGroupEnd());
    CHECK(sum == harness->size * (harness->size - 1) / 2 && count == harness->size);
}

/* Sums of contributions that each rank multiplies by a scalar of its own. */
static void scaled(const struct harness *harness)
{
    for (int type = 0; type < ncclNumTypes; type++) {
        char scalar[8], send[8], recv[8];
        ncclRedOp_t immediate, deferred;
        store(type, scalar, 0, 2);
        store(type, send, 0, harness->rank % 2);
        CHECK_OK(ncclRedOpCreatePreMulSum(&immediate, scalar, type, ncclScalarHostImmediate, harness->comm));
        store(type, scalar, 0, harness->rank % 2 ? 1 : 3);
        CHECK_OK(ncclRedOpCreatePreMulSum(&deferred, scalar, type, ncclScalarDevice, harness->comm));
        CHECK((int)immediate >= ncclNumOps && (int)deferred >= ncclNumOps);
        CHECK_OK(ncclAllReduce(send, recv, 1, type, immediate, harness->comm, NULL));
        CHECK(load(type, recv, 0) == 2 * (harness->size / 2));
        CHECK_OK(ncclGroupStart());
        CHECK_OK(ncclAllReduce(send, recv, 1, type, deferred, harness->comm, NULL));
        CHECK_OK(ncclRedOpDestroy(deferred, harness->comm)); /* Allowed once the last call with it has returned. */
        CHECK_OK(ncclGroupEnd());
        CHECK(load(type, recv, 0) == harness->size / 2);
        CHECK_OK(ncclRedOpDestroy(immediate, harness->comm));
        CHECK_RESULT(ncclInvalidArgument, ncclRedOpDestroy(immediate, harness->comm));
    }
    CHECK_RESULT(ncclInvalidArgument, ncclRedOpDestroy(ncclSum, harness->comm));
}

/* Data that a rank puts into the windows of all ranks is complete when they have waited for its signal. The puts
 * are too large to be sent before the target allows it. */
static void windows(const struct harness *harness)
{
    enum { ROOM = 100000 };
    const int size = harness->size, rank = harness->rank;
    int *memory = calloc((size_t)size * ROOM, sizeof(int)), *mine = malloc(ROOM * sizeof(int));
    ncclWaitSignalDesc_t *signals = calloc((size_t)size, sizeof *signals);
    ncclWindow_t window, other;
    void *found = NULL;
    CHECK(memory != NULL && mine != NULL && signals != NULL);
    CHECK_OK(ncclCommWindowRegister(harness->comm, memory, (size_t)size * ROOM * sizeof(int), &window,
                                    NCCL_WIN_COLL_SYMMETRIC));
    CHECK_OK(ncclCommWindowRegister(harness->comm, NULL, 0, &other, NCCL_WIN_DEFAULT));
    CHECK_OK(ncclWinGetUserPtr(harness->comm, window, &found));
    CHECK(window != other && found == memory);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < ROOM; i++)
            mine[i] = round * 7 + rank * ROOM + i;
        if (round == 2)
            CHECK_OK(ncclGroupStart());
        for (int peer = 0; peer < size; peer++) {
            /* Two puts: the second half, then the first. */
            for (int half = 1; half >= 0; half--)
                CHECK_OK(ncclPutSignal(mine + half * ROOM / 2, ROOM / 2, ncclInt, peer, window,
                                       sizeof(int) * (size_t)(rank * ROOM + half * ROOM / 2), 0, 0, 0, harness->comm,
                                       NULL));
            signals[peer] = (ncclWaitSignalDesc_t){2, peer, 0, 0};
        }
        memset(mine, 0, ROOM * sizeof(int)); /* A put has read its source when it returns. */
        CHECK_OK(ncclWaitSignal(size, signals, harness->comm, NULL));
        if (round == 2)
            CHECK_OK(ncclGroupEnd());
        for (int i = 0; i < size * ROOM; i++)
            CHECK(memory[i] == round * 7 + i);
        /* Each rank signals that it has read its window. No rank puts again before it has all these signals. */
        for (int peer = 0; peer < size; peer++) {
            CHECK_OK(ncclSignal(peer, 5, 1, 0, harness->comm, NULL));
            signals[peer] = (ncclWaitSignalDesc_t){1, peer, 5, 1};
        }
        CHECK_OK(ncclWaitSignal(size, signals, harness->comm, NULL));
    }
    CHECK_RESULT(ncclInvalidArgument, ncclSignal(0, -1, 0, 0, harness->comm, NULL));
    CHECK_OK(ncclCommWindowDeregister(harness->comm, window));
    CHECK_RESULT(ncclInvalidArgument, ncclCommWindowDeregister(harness->comm, window));
    CHECK_OK(ncclCommWindowDeregister(harness->comm, other));
    free(signals);
    free(mine);
    free(memory);
}

static void everything(struct harness *harness)
{
    windows(harness);
    exchange(harness, 1);
    exchange(harness, 12);
    order(harness);
    thousands(harness);
    one_by_one(harness);
    refusals(harness);
    too_short(harness);
    aggregation(harness);
    scaled(harness);
}

/* One thread serves all ranks, which only a group allows. */
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

    /* The same with ncclCommInitRank, and without ncclCommFinalize. */
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
