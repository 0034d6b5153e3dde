/* Tests of every collective with every datatype and operator against its definition. They use several counts and
 * roots, apart and in place, with and without settings of one call.
 *
 *     collectives PROCESSES THREADS POINT
 *
 * Runs with other numbers of ranks take the next points of each sample. */
#include <string.h>

#include "check.h"
#include "ranks.h"
#include "sample.h"
#include "values.h"

#define GUARD 16
#define GUARD_BYTE 0x5a

enum collective {
    ALL_REDUCE,
    REDUCE,
    BROADCAST,
    BCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    GATHER,
    SCATTER,
    COLLECTIVES
};

struct trial {
    enum collective collective;
    ncclDataType_t datatype;
    ncclRedOp_t op;
    int root;
    size_t count;
    int in_place;
    int configured;
};

/* Number of elements that this rank sends and receives. */
static size_t given(const struct harness *harness, const struct trial *trial)
{
    const size_t all = trial->count * (size_t)harness->size;
    switch (trial->collective) {
    case REDUCE_SCATTER:
    case ALL_TO_ALL:
        return all;
    case SCATTER:
        return harness->rank == trial->root ? all : 0;
    case BROADCAST:
    case BCAST:
        return harness->rank == trial->root ? trial->count : 0;
    default:
        return trial->count;
    }
}

static size_t got(const struct harness *harness, const struct trial *trial)
{
    const size_t all = trial->count * (size_t)harness->size;
    switch (trial->collective) {
    case ALL_GATHER:
    case ALL_TO_ALL:
        return all;
    case GATHER:
        return harness->rank == trial->root ? all : 0;
    case REDUCE:
        return harness->rank == trial->root ? trial->count : 0;
    default:
        return trial->count;
    }
}

/* Expected value at `index` of the result of this rank. */
static double expected(const struct harness *harness, const struct trial *trial, size_t index)
{
    const ncclDataType_t datatype = trial->datatype;
    const size_t mine = (size_t)harness->rank * trial->count;
    switch (trial->collective) {
    case ALL_REDUCE:
    case REDUCE:
        return combined(datatype, trial->op, harness->size, index);
    case REDUCE_SCATTER:
        return combined(datatype, trial->op, harness->size, mine + index);
    case BROADCAST:
    case BCAST:
        return contribution(datatype, trial->root, index);
    case ALL_GATHER:
    case GATHER:
        return contribution(datatype, (int)(index / trial->count), index % trial->count);
    case SCATTER:
        return contribution(datatype, trial->root, mine + index);
    default: /* ALL_TO_ALL */
        return contribution(datatype, (int)(index / trial->count), mine + index % trial->count);
    }
}

static ncclResult_t call(const struct harness *harness, const struct trial *trial, const void *send, void *recv)
{
    const ncclCollConfig_t config = NCCL_COLLCONFIG_INITIALIZER;
    const ncclDataType_t type = trial->datatype;
    const size_t count = trial->count;
    const ncclRedOp_t op = trial->op;
    const int root = trial->root;
    const ncclComm_t comm = harness->comm;
    /* The library accepts any stream. */
    const cudaStream_t stream = (cudaStream_t)(size_t)(count % 3);
    if (trial->configured) {
        switch (trial->collective) {
        case ALL_REDUCE:
            return ncclAllReduceConfig(send, recv, count, type, op, comm, stream, &config);
        case REDUCE:
            return ncclReduceConfig(send, recv, count, type, op, root, comm, stream, &config);
        case BROADCAST:
            return ncclBroadcastConfig(send, recv, count, type, root, comm, stream, &config);
        case ALL_GATHER:
            return ncclAllGatherConfig(send, recv, count, type, comm, stream, &config);
        case REDUCE_SCATTER:
            return ncclReduceScatterConfig(send, recv, count, type, op, comm, stream, &config);
        case ALL_TO_ALL:
            return ncclAlltoAllConfig(send, recv, count, type, comm, stream, NULL);
        case GATHER:
            return ncclGatherConfig(send, recv, count, type, root, comm, stream, &config);
        case SCATTER:
            return ncclScatterConfig(send, recv, count, type, root, comm, stream, &config);
        default:
            break;
        }
    }
    switch (trial->collective) {
    case ALL_REDUCE:
        return ncclAllReduce(send, recv, count, type, op, comm, stream);
    case REDUCE:
        return ncclReduce(send, recv, count, type, op, root, comm, stream);
    case BROADCAST:
        return ncclBroadcast(send, recv, count, type, root, comm, stream);
    case BCAST:
        return ncclBcast(recv, count, type, root, comm, stream);
    case ALL_GATHER:
        return ncclAllGather(send, recv, count, type, comm, stream);
    case REDUCE_SCATTER:
        return pncclReduceScatter(send, recv, count, type, op, comm, stream);
    case ALL_TO_ALL:
        return ncclAlltoAll(send, recv, count, type, comm, stream);
    case GATHER:
        return ncclGather(send, recv, count, type, root, comm, stream);
    default:
        return ncclScatter(send, recv, count, type, root, comm, stream);
    }
}

/* Offset of this rank's part in the longer buffer, in elements, for a call in place. */
static size_t shift(const struct harness *harness, const struct trial *trial)
{
    switch (trial->collective) {
    case ALL_GATHER:
    case REDUCE_SCATTER:
        return (size_t)harness->rank * trial->count;
    case GATHER:
    case SCATTER:
        return harness->rank == trial->root ? (size_t)trial->root * trial->count : 0;
    default:
        return 0;
    }
}

static void try_one(const struct harness *harness, const struct trial *trial)
{
    const size_t bytes = bytes_of(trial->datatype), in = given(harness, trial), out = got(harness, trial);
    const size_t room = ((in > out ? in : out) + 2 * GUARD) * bytes;
    char *sends = malloc(room), *recvs = malloc(room);
    char *send = sends + GUARD * bytes, *recv = recvs + GUARD * bytes;
    CHECK(sends != NULL && recvs != NULL);
    memset(sends, GUARD_BYTE, room);
    memset(recvs, GUARD_BYTE, room);
    if (trial->in_place || trial->collective == BCAST) {
        /* The longer buffer is at the start of the memory. */
        const size_t at = shift(harness, trial) * bytes;
        if (in > out)
            recv = send + at;
        else
            recv = send, send = recv + at;
    }
    for (size_t i = 0; i < in; i++)
        store(trial->datatype, send, i, contribution(trial->datatype, harness->rank, i));
    CHECK_OK(call(harness, trial, send, recv));
    for (size_t i = 0; i < out; i++) {
        const double wanted = expected(harness, trial, i), found = load(trial->datatype, recv, i);
        if (!is_right(trial->datatype, trial->op, harness->size, wanted, found)) {
            fprintf(stderr,
                    "collective %d, type %d, op %d, root %d, count %zu, in place %d: rank %d of %d, element %zu "
                    "is %g, not %g\n",
                    trial->collective, trial->datatype, trial->op, trial->root, trial->count, trial->in_place,
                    harness->rank, harness->size, i, found, wanted);
            _Exit(1);
        }
    }
    const char *used = send < recv && send >= sends && send < sends + room ? send : recv;
    for (size_t i = 0; used == recv && recv == recvs + GUARD * bytes && i < GUARD * bytes; i++)
        CHECK(recvs[i] == GUARD_BYTE && recv[out * bytes + i] == GUARD_BYTE);
    for (size_t i = 0; !trial->in_place && trial->collective != BCAST && i < in; i++)
        CHECK(load(trial->datatype, send, i) == contribution(trial->datatype, harness->rank, i));
    free(sends);
    free(recvs);
}

/* The point of each sample. */
static int point;

static int reduces(enum collective collective)
{
    return collective == ALL_REDUCE || collective == REDUCE || collective == REDUCE_SCATTER;
}

/* Tries every collective with every datatype and operator that it takes, each at one point of the sample. */
static void try_everything(struct harness *harness)
{
    static const size_t counts[] = {0, 1, 13, 1000};
    for (int collective = 0; collective < COLLECTIVES; collective++)
        for (int type = 0; type < ncclNumTypes; type++)
            for (int op = 0; op < (reduces(collective) ? ncclNumOps : 1); op++) {
                /* Counts, roots, with and without settings, apart and in place. NCCL has no all-to-all in place. */
                const int levels[] = {4, harness->size, 2, collective == ALL_TO_ALL ? 1 : 2};
                const unsigned cell = (unsigned)((collective * ncclNumTypes + type) * ncclNumOps + op);
                struct sample sample = sample_of(cell, point, 4, levels);
                while (sample_next(&sample)) {
                    const int *const level = sample.level;
                    try_one(harness,
                            &(struct trial){collective, type, op, level[1], counts[level[0]], level[3], level[2]});
                }
            }
}

/* A result that is too large for an 8-bit float becomes the largest finite number, as in NVIDIA's __nv_fp8
 * constructors. So does an infinity. NaN stays. */
static void saturate(struct harness *harness)
{
    static const struct {
        ncclDataType_t datatype;
        unsigned char given, sum;
    } cases[] = {
        {ncclFloat8e4m3, 0x7e, 0x7e}, {ncclFloat8e4m3, 0xfe, 0xfe}, {ncclFloat8e5m2, 0x7b, 0x7b},
        {ncclFloat8e5m2, 0xfb, 0xfb}, {ncclFloat8e5m2, 0x7c, 0x7b}, {ncclFloat8e4m3, 0x7f, 0x7f},
        {ncclFloat8e5m2, 0x7e, 0x7e},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char sum = 0x55;
        CHECK_OK(ncclAllReduce(&cases[i].given, &sum, 1, cases[i].datatype, ncclSum, harness->comm, NULL));
        /* On a communicator of one rank, the result is the contribution. */
        CHECK(sum == (harness->size > 1 ? cases[i].sum : cases[i].given));
    }
}

static void everything(struct harness *harness)
{
    try_everything(harness);
    saturate(harness);
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    point = atoi(argv[3]);
    sample_print();
    run_ranks(spread_from(3, argv), everything);
    return 0;
}
