/* Tests of collectives on lists of buffers, and of the two calls for data-parallel training. */
#include "check.h"
#include "ranks.h"

enum { MOST = 4, BUFFERS = 5, LARGE = 20000 };

static const size_t COUNTS[BUFFERS] = {3, 0, LARGE, 100, 1};

/* Element `i` of buffer `b` of `rank`. */
static int value(int rank, int b, size_t i)
{
    return 1000 * rank + 10 * b + (int)(i % 7);
}

struct memory {
    int *sends[BUFFERS], *recvs[BUFFERS];
};

static struct memory allocate(const struct harness *harness)
{
    struct memory memory;
    for (int b = 0; b < BUFFERS; b++) {
        const size_t elements = (COUNTS[b] + 1) * (size_t)harness->size;
        memory.sends[b] = malloc(elements * sizeof(int));
        memory.recvs[b] = malloc(elements * sizeof(int));
        CHECK(memory.sends[b] != NULL && memory.recvs[b] != NULL);
        for (size_t i = 0; i < elements; i++) {
            memory.sends[b][i] = value(harness->rank, b, i);
            memory.recvs[b][i] = -1;
        }
    }
    return memory;
}

static void release(struct memory *memory)
{
    for (int b = 0; b < BUFFERS; b++) {
        free(memory->sends[b]);
        free(memory->recvs[b]);
    }
}

static int sum(int size, int b, size_t i)
{
    int all = 0;
    for (int rank = 0; rank < size; rank++)
        all += value(rank, b, i);
    return all;
}

static void every_collective(struct harness *harness, void *shared)
{
    const int size = harness->size, rank = harness->rank, root = size - 1;
    struct memory m = allocate(harness);
    const void *const *sends = (const void *const *)m.sends;
    void *const *recvs = (void *const *)m.recvs;
    (void)shared;

    CHECK_OK(anyccl_all_reduce_coalesced(sends, recvs, COUNTS, BUFFERS, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    for (int b = 0; b < BUFFERS; b++) {
        for (size_t i = 0; i < COUNTS[b]; i++)
            CHECK(m.recvs[b][i] == sum(size, b, i));
        CHECK(m.recvs[b][COUNTS[b]] == -1);
    }

    CHECK_OK(anyccl_broadcast_coalesced(rank == root ? sends : NULL, recvs, COUNTS, BUFFERS, ANYCCL_INT32, root,
                                        harness->comm));
    for (int b = 0; b < BUFFERS; b++)
        for (size_t i = 0; i < COUNTS[b]; i++)
            CHECK(m.recvs[b][i] == value(root, b, i));

    anyccl_request_t requests[2];
    CHECK_OK(anyccl_ireduce_scatter_coalesced(sends, recvs, COUNTS, BUFFERS, ANYCCL_INT32, ANYCCL_MAX, harness->comm,
                                              &requests[0]));
    CHECK_OK(anyccl_ibarrier(harness->comm, &requests[1]));
    CHECK_OK(anyccl_wait_all(2, requests));
    for (int b = 0; b < BUFFERS; b++)
        for (size_t i = 0; i < COUNTS[b]; i++)
            CHECK(m.recvs[b][i] == value(root, b, (size_t)rank * COUNTS[b] + i));

    CHECK_OK(anyccl_all_gather_coalesced(sends, recvs, COUNTS, BUFFERS, ANYCCL_INT32, harness->comm));
    for (int b = 0; b < BUFFERS; b++)
        for (int r = 0; r < size; r++)
            for (size_t i = 0; i < COUNTS[b]; i++)
                CHECK(m.recvs[b][(size_t)r * COUNTS[b] + i] == value(r, b, i));

    /* In place, completed by anyccl_test. */
    int done = 0;
    CHECK_OK(anyccl_iall_reduce_coalesced((const void *const *)m.sends, (void *const *)m.sends, COUNTS, BUFFERS,
                                          ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[0]));
    while (!done)
        CHECK_OK(anyccl_test(&requests[0], &done));
    for (int b = 0; b < BUFFERS; b++)
        for (size_t i = 0; i < COUNTS[b]; i++)
            CHECK(m.sends[b][i] == sum(size, b, i));
    release(&m);
}

/* Lists of buffers in memory that peers read directly, at odd offsets. */
static void parts_of_shared_memory(struct harness *harness, void *shared)
{
    enum { EACH = 5000 };
    void *memory;
    (void)shared;
    CHECK_OK(anyccl_mem_alloc(4 * EACH * sizeof(int), &memory));
    int *const all = memory;
    int *const parts[2] = {all + 3, all + EACH + 17};
    const size_t counts[2] = {EACH, 100};
    for (int i = 0; i < 4 * EACH; i++)
        all[i] = harness->rank + i;
    CHECK_OK(anyccl_all_reduce_coalesced((const void *const *)parts, (void *const *)parts, counts, 2, ANYCCL_INT32,
                                         ANYCCL_SUM, harness->comm));
    const int ranks = harness->size * (harness->size - 1) / 2;
    CHECK(all[2] == harness->rank + 2 && all[3] == ranks + harness->size * 3);
    CHECK(all[EACH + 2] == ranks + harness->size * (EACH + 2) && all[EACH + 3] == harness->rank + EACH + 3);
    CHECK(all[EACH + 16] == harness->rank + EACH + 16 && all[EACH + 116] == ranks + harness->size * (EACH + 116));
    if (harness->size == 2) {
        const int peer = 1 - harness->rank;
        anyccl_request_t request;
        all[2 * EACH + 1] = 77 + harness->rank;
        CHECK_OK(anyccl_isend(all + 2 * EACH + 1, EACH, ANYCCL_INT32, peer, 0, harness->comm, &request));
        CHECK_OK(anyccl_recv(all + 3, EACH, ANYCCL_INT32, peer, 0, harness->comm, NULL));
        CHECK_OK(anyccl_wait(&request));
        CHECK(all[3] == 77 + peer && all[EACH + 2] == peer + 3 * EACH);
    }
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK_OK(anyccl_mem_free(memory));
}

static void training(struct harness *harness, void *shared)
{
    enum { PARAMETERS = 3 };
    static double weights[MOST][LARGE];
    double *const mine = weights[harness->rank];
    long long steps = harness->rank == 0 ? 42 : 0;
    float bias[5];
    void *buffers[PARAMETERS];
    const size_t counts[PARAMETERS] = {LARGE, 1, 5};
    const anyccl_datatype_t datatypes[PARAMETERS] = {ANYCCL_FLOAT64, ANYCCL_INT64, ANYCCL_FLOAT32};
    (void)shared;
    for (int i = 0; i < LARGE; i++)
        mine[i] = harness->rank == 0 ? i : -1;
    for (int i = 0; i < 5; i++)
        bias[i] = (float)harness->rank;
    buffers[0] = mine, buffers[1] = &steps, buffers[2] = bias;
    CHECK_OK(anyccl_sync_params(buffers, counts, datatypes, PARAMETERS, 0, harness->comm));
    CHECK(mine[LARGE - 1] == LARGE - 1 && steps == 42 && bias[4] == 0);

    buffers[1] = NULL;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_sync_params(buffers, counts, datatypes, PARAMETERS, 0, harness->comm));
    CHECK_OK(anyccl_sum_grads(buffers, counts, datatypes, PARAMETERS, harness->comm));
    CHECK(mine[LARGE - 1] == (double)harness->size * (LARGE - 1) && steps == 42 && bias[4] == 0);

    /* Only the last rank lacks a buffer: every rank gets the error, and no buffer changes. */
    if (harness->size > 1) {
        if (harness->rank == harness->size - 1)
            buffers[2] = NULL;
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                     anyccl_sum_grads(buffers, counts, datatypes, PARAMETERS, harness->comm));
        CHECK(mine[1] == harness->size);
    }
    CHECK_OK(anyccl_sum_grads(NULL, NULL, NULL, 0, harness->comm));
    CHECK_OK(anyccl_barrier(harness->comm));
}

static void disagreeing(struct harness *harness, void *shared)
{
    int x[3] = {1, 2, 3};
    void *buffers[2] = {&x[0], &x[1]};
    const size_t one_two[2] = {1, 2}, two_one[2] = {2, 1};
    (void)shared;
    buffers[1] = harness->rank == 1 ? &x[2] : &x[1];
    anyccl_status_t status = ANYCCL_SUCCESS;
    for (int tries = 0; tries < 3 && status == ANYCCL_SUCCESS; tries++)
        status =
            anyccl_all_reduce_coalesced((const void *const *)buffers, buffers, harness->rank == 1 ? two_one : one_two,
                                        2, ANYCCL_INT32, ANYCCL_SUM, harness->comm);
    CHECK_STATUS(ANYCCL_ERR_MISMATCH, status);
}

static void wrong_uses(struct harness *harness, void *shared)
{
    int x = 1, y = 2;
    const void *sends[1] = {&x};
    void *recvs[1] = {NULL};
    const size_t counts[1] = {1};
    (void)shared;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_all_reduce_coalesced(sends, recvs, counts, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    recvs[0] = &y;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_all_reduce_coalesced(NULL, recvs, counts, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_all_reduce_coalesced(sends, recvs, NULL, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_iall_reduce_coalesced(sends, recvs, counts, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_all_reduce_coalesced(sends, recvs, counts, 1, ANYCCL_BYTE, ANYCCL_SUM, harness->comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_broadcast_coalesced(sends, recvs, counts, 1, ANYCCL_INT32, 9, harness->comm));
    CHECK(y == 2);
    CHECK_OK(anyccl_all_reduce_coalesced(NULL, NULL, NULL, 0, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
}

int main(void)
{
    for (int size = 1; size <= MOST; size++) {
        run_ranks(size, PATIENCE_MS, every_collective, NULL);
        run_ranks(size, PATIENCE_MS, parts_of_shared_memory, NULL);
        run_ranks(size, PATIENCE_MS, training, NULL);
    }
    run_ranks(3, PATIENCE_MS, disagreeing, NULL);
    run_ranks(2, PATIENCE_MS, wrong_uses, NULL);
    return 0;
}
