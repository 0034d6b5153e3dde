/* Calls on memory of a GPU, by a driver for tests: they are part of their streams, and nobody waits for them.
 * Usage: devices PROCESSES THREADS. libcuda.so.1 has to be the double. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "ranks.h"

#define COUNT 5003
#define ARENA (8u << 20)
#define MOST 8

typedef uint64_t pointer_t;

static struct {
    int (*init)(unsigned);
    int (*retain)(void **context, int device);
    int (*set_context)(void *context);
    int (*alloc)(pointer_t *address, size_t bytes);
    int (*release)(pointer_t address);
    int (*stream)(void **stream, unsigned flags);
    int (*destroy)(void *stream);
    int (*sync)(void *stream);
    int (*fill)(pointer_t to, unsigned char byte, size_t bytes, void *stream);
    int (*write)(pointer_t to, const void *from, size_t bytes);
    int (*read)(void *to, pointer_t from, size_t bytes, void *stream);
    int (*begin_capture)(void *stream, int mode);
    int (*end_capture)(void *stream, void **graph);
    int (*graph_nodes)(void *graph, void **nodes, size_t *count);
    int (*graph_destroy)(void *graph);
} cuda;

/* Looks up a function of the driver. */
static void look_up(void *driver, const char *name, void *place)
{
    void *found = dlsym(driver, name);
    CHECK(found != NULL);
    memcpy(place, &found, sizeof found);
}

static void load_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver != NULL);
    look_up(driver, "cuInit", &cuda.init);
    look_up(driver, "cuDevicePrimaryCtxRetain", &cuda.retain);
    look_up(driver, "cuCtxSetCurrent", &cuda.set_context);
    look_up(driver, "cuMemAlloc_v2", &cuda.alloc);
    look_up(driver, "cuMemFree_v2", &cuda.release);
    look_up(driver, "cuStreamCreate", &cuda.stream);
    look_up(driver, "cuStreamDestroy_v2", &cuda.destroy);
    look_up(driver, "cuStreamSynchronize", &cuda.sync);
    look_up(driver, "cuMemsetD8Async", &cuda.fill);
    look_up(driver, "cuMemcpyHtoD_v2", &cuda.write);
    look_up(driver, "cuMemcpyDtoHAsync_v2", &cuda.read);
    look_up(driver, "cuStreamBeginCapture_v2", &cuda.begin_capture);
    look_up(driver, "cuStreamEndCapture", &cuda.end_capture);
    look_up(driver, "cuGraphGetNodes", &cuda.graph_nodes);
    look_up(driver, "cuGraphDestroy", &cuda.graph_destroy);
}

static void enter_device(void)
{
    void *context;
    CHECK(cuda.init(0) == 0);
    CHECK(cuda.retain(&context, 0) == 0);
    CHECK(cuda.set_context(context) == 0);
}

/* One rank with memory and a stream. */
struct place {
    pointer_t send, recv;
    void *stream;
};

/* Waits for all ranks. Memory of a GPU is allocated and freed while no stream waits. */
static void meet(struct harness *harness)
{
    int one = 1, all = 0;
    CHECK_OK(ncclAllReduce(&one, &all, 1, ncclInt, ncclSum, harness->comm, NULL));
    CHECK(all == harness->size);
}

/* A communicator of the same ranks. */
static ncclComm_t another(struct harness *harness, int blocking)
{
    ncclUniqueId id;
    ncclComm_t comm;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state;
    if (harness->rank == 0)
        CHECK_OK(ncclGetUniqueId(&id));
    CHECK_OK(ncclBcast(&id, sizeof id, ncclChar, 0, harness->comm, NULL));
    config.blocking = blocking;
    const ncclResult_t begun = ncclCommInitRankConfig(&comm, harness->size, id, harness->rank, &config);
    CHECK(begun == ncclSuccess || begun == ncclInProgress);
    do
        CHECK_OK(ncclCommGetAsyncError(comm, &state));
    while (state == ncclInProgress);
    CHECK(state == ncclSuccess);
    return comm;
}

static int sent(int rank, int i)
{
    return rank * 100000 + i;
}

/* Writes a rank's numbers, and other bytes into the place of the result. */
static void prepare(struct harness *harness, struct place *place, int count)
{
    static _Thread_local int values[COUNT * MOST];
    for (int i = 0; i < count; i++)
        values[i] = sent(harness->rank, i);
    CHECK(cuda.write(place->send, values, (size_t)count * sizeof(int)) == 0);
    CHECK(cuda.sync(NULL) == 0);
    CHECK(cuda.fill(place->recv, 0xEE, (size_t)count * sizeof(int), place->stream) == 0);
}

/* Copies to memory that is not page-locked. The stream has come to it: the driver keeps out the calls of other
 * threads during such a copy, and the stream may wait for them. */
static void read_back(void *to, pointer_t from, size_t bytes, void *stream)
{
    CHECK(cuda.sync(stream) == 0);
    CHECK(cuda.read(to, from, bytes, stream) == 0);
    CHECK(cuda.sync(stream) == 0);
}

static int *result(struct place *place, int count)
{
    static _Thread_local int values[COUNT * MOST];
    read_back(values, place->recv, (size_t)count * sizeof(int), place->stream);
    return values;
}

static void collectives(struct harness *harness, struct place *place)
{
    const ncclComm_t comm = harness->comm;
    const int size = harness->size, rank = harness->rank, root = size - 1;
    void *send = (void *)place->send, *recv = (void *)place->recv;
    const int *got;

    prepare(harness, place, COUNT);
    CHECK_OK(ncclAllReduce(send, recv, COUNT, ncclInt, ncclSum, comm, place->stream));
    got = result(place, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == size * (size - 1) / 2 * 100000 + size * i);

    prepare(harness, place, COUNT);
    CHECK_OK(ncclReduce(send, recv, COUNT, ncclInt, ncclMax, root, comm, place->stream));
    got = result(place, COUNT);
    for (int i = 0; rank == root && i < COUNT; i++)
        CHECK(got[i] == sent(size - 1, i));

    prepare(harness, place, COUNT);
    CHECK_OK(ncclBroadcast(send, recv, COUNT, ncclInt, root, comm, place->stream));
    got = result(place, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == sent(root, i));

    prepare(harness, place, COUNT * size);
    CHECK_OK(ncclAllGather(send, recv, COUNT, ncclInt, comm, place->stream));
    got = result(place, COUNT * size);
    for (int i = 0; i < COUNT * size; i++)
        CHECK(got[i] == sent(i / COUNT, i % COUNT));

    prepare(harness, place, COUNT * size);
    CHECK_OK(ncclReduceScatter(send, recv, COUNT, ncclInt, ncclMin, comm, place->stream));
    got = result(place, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == sent(0, rank * COUNT + i));

    prepare(harness, place, COUNT * size);
    CHECK_OK(ncclAlltoAll(send, recv, COUNT, ncclInt, comm, place->stream));
    got = result(place, COUNT * size);
    for (int i = 0; i < COUNT * size; i++)
        CHECK(got[i] == sent(i / COUNT, rank * COUNT + i % COUNT));

    prepare(harness, place, COUNT * size);
    CHECK_OK(ncclGather(send, recv, COUNT, ncclInt, root, comm, place->stream));
    got = result(place, COUNT * size);
    for (int i = 0; rank == root && i < COUNT * size; i++)
        CHECK(got[i] == sent(i / COUNT, i % COUNT));

    prepare(harness, place, COUNT * size);
    CHECK_OK(ncclScatter(send, recv, COUNT, ncclInt, root, comm, place->stream));
    got = result(place, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == sent(root, rank * COUNT + i));
}

/* Every type of NCCL, and operators: zeros stay zeros, and the average of one number is the number. */
static void types(struct harness *harness, struct place *place)
{
    const float half = 0.5f;
    float *values = (float *)(void *)result(place, COUNT);
    ncclRedOp_t scaled;
    for (int type = 0; type < ncclNumTypes; type++)
        for (int op = 0; op < ncclNumOps; op++) {
            CHECK(cuda.fill(place->send, 0, COUNT * 8, place->stream) == 0);
            CHECK(cuda.fill(place->recv, 0xEE, COUNT * 8, place->stream) == 0);
            CHECK_OK(ncclAllReduce((void *)place->send, (void *)place->recv, 100, (ncclDataType_t)type, (ncclRedOp_t)op,
                                   harness->comm, place->stream));
            const char *got = (const char *)result(place, 25);
            for (int i = 0; i < 100; i++)
                CHECK(got[i] == 0);
        }
    for (int i = 0; i < 10; i++)
        values[i] = 4.0f;
    CHECK(cuda.write(place->send, values, 40) == 0);
    CHECK(cuda.sync(NULL) == 0);
    CHECK_OK(
        ncclAllReduce((void *)place->send, (void *)place->recv, 10, ncclFloat, ncclAvg, harness->comm, place->stream));
    CHECK(((float *)(void *)result(place, 10))[9] == 4.0f);
    CHECK_OK(ncclRedOpCreatePreMulSum(&scaled, (void *)&half, ncclFloat, ncclScalarHostImmediate, harness->comm));
    CHECK_OK(
        ncclAllReduce((void *)place->send, (void *)place->recv, 10, ncclFloat, scaled, harness->comm, place->stream));
    CHECK(((float *)(void *)result(place, 10))[9] == 2.0f * (float)harness->size);
    CHECK_OK(ncclRedOpDestroy(scaled, harness->comm));
    CHECK_OK(ncclRedOpCreatePreMulSum(&scaled, (void *)place->send, ncclFloat, ncclScalarDevice, harness->comm));
    CHECK_OK(
        ncclAllReduce((void *)place->send, (void *)place->recv, 10, ncclFloat, scaled, harness->comm, place->stream));
    CHECK(((float *)(void *)result(place, 10))[9] == 16.0f * (float)harness->size);
    CHECK_OK(ncclRedOpDestroy(scaled, harness->comm));
}

/* Fills, calls and fills again follow each other, and the host waits for none. */
static void order(struct harness *harness, struct place *place, void *stream)
{
    const size_t bytes = 300000;
    static _Thread_local unsigned char got[300000];
    const int size = harness->size;
    for (int round = 1; round <= 5; round++) {
        CHECK(cuda.fill(place->send, (unsigned char)(round + harness->rank), bytes, stream) == 0);
        CHECK_OK(
            ncclAllReduce((void *)place->send, (void *)place->recv, bytes, ncclUint8, ncclSum, harness->comm, stream));
        CHECK(cuda.fill(place->send, 0xEE, bytes, stream) == 0);
    }
    read_back(got, place->recv, bytes, stream);
    for (size_t i = 0; i < bytes; i++)
        CHECK(got[i] == 5 * size + size * (size - 1) / 2);
}

/* Each rank receives from all before it sends to any, on one stream. */
static void messages(struct harness *harness, struct place *place, int count)
{
    const int size = harness->size, rank = harness->rank;
    const size_t block = (size_t)count * sizeof(int);
    prepare(harness, place, count * size);
    CHECK_OK(ncclGroupStart());
    for (int peer = 0; peer < size; peer++)
        CHECK_OK(ncclRecv((char *)place->recv + block * (size_t)peer, (size_t)count, ncclInt, peer, harness->comm,
                          place->stream));
    CHECK_RESULT(ncclInvalidArgument, ncclSend((void *)place->send, 1, ncclInt, size, harness->comm, place->stream));
    for (int peer = 0; peer < size; peer++)
        CHECK_OK(ncclSend((char *)place->send + block * (size_t)peer, (size_t)count, ncclInt, peer, harness->comm,
                          place->stream));
    CHECK_OK(ncclGroupEnd());
    const int *got = result(place, count * size);
    for (int i = 0; i < count * size; i++)
        CHECK(got[i] == sent(i / count, rank * count + i % count));
}

static void non_blocking(struct harness *harness, struct place *place)
{
    const struct harness main_one = *harness;
    ncclResult_t state;
    harness->comm = another(harness, 0);
    order(harness, place, place->stream);
    messages(harness, place, 1000);
    CHECK_OK(ncclCommGetAsyncError(harness->comm, &state));
    CHECK(state == ncclSuccess);
    CHECK_OK(ncclCommDestroy(harness->comm));
    *harness = main_one;
}

/* Waits for a failure that comes after the call has returned. */
static ncclResult_t failure_of(ncclComm_t comm)
{
    ncclResult_t state;
    for (;;) {
        CHECK_OK(ncclCommGetAsyncError(comm, &state));
        if (state != ncclSuccess && state != ncclInProgress)
            return state;
        sched_yield();
    }
}

/* Ranks that make different calls see it later, all of them. */
static void mismatch(struct harness *harness, struct place *place)
{
    if (harness->size == 1)
        return;
    const ncclComm_t comm = another(harness, 1);
    /* A failure must not come before all have looked at their new communicator. */
    meet(harness);
    /* The last rank may find it failed. */
    const ncclResult_t called = ncclAllReduce((void *)place->send, (void *)place->recv, harness->rank == 0 ? 10 : 11,
                                              ncclInt, ncclSum, comm, place->stream);
    CHECK(called == ncclSuccess || called == ncclInvalidUsage);
    CHECK(failure_of(comm) == ncclInvalidUsage);
    CHECK(cuda.sync(place->stream) == 0);
    meet(harness);
    CHECK_OK(ncclCommAbort(comm));
}

static void *abort_it(void *comm)
{
    CHECK_OK(ncclCommAbort(comm));
    return NULL;
}

/* Another thread ends the wait for a rank that does not come. */
static void abandoned(struct harness *harness, struct place *place)
{
    pthread_t helper;
    if (harness->size == 1)
        return;
    const ncclComm_t comm = another(harness, 1);
    /* An abort must not come while another rank still makes its communicator. */
    meet(harness);
    if (harness->rank != 0) {
        CHECK_OK(ncclAllReduce((void *)place->send, (void *)place->recv, COUNT, ncclInt, ncclSum, comm, place->stream));
        CHECK_OK(ncclAllReduce((void *)place->send, (void *)place->recv, COUNT, ncclInt, ncclSum, comm, place->stream));
    }
    /* A call fails at once where another rank has aborted before. */
    meet(harness);
    if (harness->rank != 0) {
        CHECK(pthread_create(&helper, NULL, abort_it, comm) == 0);
        CHECK(cuda.sync(place->stream) == 0);
        CHECK(pthread_join(helper, NULL) == 0);
    }
    meet(harness);
    if (harness->rank == 0)
        CHECK_OK(ncclCommAbort(comm));
}

/* Calls on a stream that records a graph are part of the graph, which may never be launched. */
static void recording(struct harness *harness, struct place *place)
{
    enum { THREAD_LOCAL = 1 };
    void *send = (void *)place->send, *recv = (void *)place->recv, *graph = NULL;
    size_t nodes = 0;
    CHECK(cuda.sync(place->stream) == 0);
    CHECK(cuda.begin_capture(place->stream, THREAD_LOCAL) == 0);
    CHECK(cuda.fill(place->recv, 1, 100, place->stream) == 0);
    CHECK_OK(ncclAllReduce(send, recv, COUNT, ncclInt, ncclSum, harness->comm, place->stream));
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclSend(send, COUNT, ncclInt, harness->rank, harness->comm, place->stream));
    CHECK_OK(ncclRecv(recv, COUNT, ncclInt, harness->rank, harness->comm, place->stream));
    CHECK_OK(ncclGroupEnd());
    CHECK(cuda.end_capture(place->stream, &graph) == 0);
    CHECK(cuda.graph_nodes(graph, NULL, &nodes) == 0);
    CHECK(nodes > 1);
    CHECK(cuda.graph_destroy(graph) == 0);
    collectives(harness, place);
    messages(harness, place, 10);
}

/* Destroying waits for what is in the stream. */
static void drained(struct harness *harness, struct place *place)
{
    const ncclComm_t comm = another(harness, 1);
    prepare(harness, place, COUNT);
    CHECK_OK(ncclAllReduce((void *)place->send, (void *)place->recv, COUNT, ncclInt, ncclSum, comm, place->stream));
    CHECK_OK(ncclCommDestroy(comm));
    CHECK(result(place, COUNT)[1] == sent(0, 1) * harness->size + harness->size * (harness->size - 1) / 2 * 100000);
}

static void everything(struct harness *harness)
{
    struct place place;
    enter_device();
    CHECK(cuda.alloc(&place.send, ARENA) == 0);
    CHECK(cuda.alloc(&place.recv, ARENA) == 0);
    CHECK(cuda.stream(&place.stream, 1) == 0);
    meet(harness);
    collectives(harness, &place);
    types(harness, &place);
    order(harness, &place, place.stream);
    order(harness, &place, (void *)2);
    messages(harness, &place, 10);
    messages(harness, &place, COUNT);
    non_blocking(harness, &place);
    drained(harness, &place);
    recording(harness, &place);
    mismatch(harness, &place);
    abandoned(harness, &place);
    meet(harness);
    CHECK(cuda.release(place.send) == 0);
    CHECK(cuda.release(place.recv) == 0);
    CHECK(cuda.destroy(place.stream) == 0);
    meet(harness);
}

/* One thread makes the calls of all ranks in a group, on one stream or on several. The calls need more memory
 * of the host than the first region of the pool has. */
static void alone(int size)
{
    ncclComm_t comms[MOST];
    pointer_t buffers[MOST];
    void *streams[MOST];
    int devices[MOST] = {0}, device;
    static unsigned char got[ARENA];
    enter_device();
    for (int rank = 0; rank < size; rank++) {
        CHECK(cuda.alloc(&buffers[rank], ARENA) == 0);
        CHECK(cuda.stream(&streams[rank], 1) == 0);
    }
    CHECK_OK(ncclCommInitAll(comms, size, devices));
    CHECK_OK(ncclCommCuDevice(comms[size - 1], &device));
    CHECK(device == 0);
    for (int way = 0; way < 4; way++) {
        void *const one[] = {NULL, NULL, (void *)2, streams[0]};
        for (int rank = 0; rank < size; rank++)
            CHECK(cuda.fill(buffers[rank], (unsigned char)(rank + 1), ARENA, way == 0 ? streams[rank] : one[way]) == 0);
        CHECK_OK(ncclGroupStart());
        for (int rank = 0; rank < size; rank++)
            CHECK_OK(ncclAllReduce((void *)buffers[rank], (void *)buffers[rank], ARENA, ncclUint8, ncclSum, comms[rank],
                                   way == 0 ? streams[rank] : one[way]));
        CHECK_OK(ncclGroupEnd());
        for (int rank = 0; rank < size; rank++) {
            void *stream = way == 0 ? streams[rank] : one[way];
            read_back(got, buffers[rank], ARENA, stream);
            for (size_t i = 0; i < ARENA; i++)
                CHECK(got[i] == size * (size + 1) / 2);
        }
    }
    for (int rank = 0; rank < size; rank++)
        CHECK_OK(ncclCommDestroy(comms[rank]));
    for (int rank = 0; rank < size; rank++)
        CHECK(cuda.release(buffers[rank]) == 0);
}

int main(int argc, char **argv)
{
    const struct spread spread = spread_from(argc, argv);
    load_driver();
    run_ranks(spread, everything);
    if (spread.processes == 1)
        alone(spread.threads);
    return 0;
}
