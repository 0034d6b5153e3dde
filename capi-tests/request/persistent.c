/* Tests of persistent operations: prepared once, started often, and the errors of wrong use. */
#include "check.h"
#include "ranks.h"

enum { RUNS = 20, COUNT = 100, MOST = 4 };

static void all_collectives(struct harness *harness, void *shared)
{
    enum { REQUESTS = 9 };
    int sent[COUNT * MOST] = {0}, got[REQUESTS][COUNT * MOST];
    anyccl_request_t requests[REQUESTS];
    const int size = harness->size, rank = harness->rank, root = size - 1;
    (void)shared;
    anyccl_request_t *next = requests;
    CHECK_OK(anyccl_all_reduce_init(sent, got[0], COUNT, ANYCCL_INT32, ANYCCL_SUM, harness->comm, next++));
    CHECK_OK(anyccl_reduce_init(sent, got[1], COUNT, ANYCCL_INT32, ANYCCL_MAX, root, harness->comm, next++));
    CHECK_OK(anyccl_broadcast_init(sent, got[2], COUNT, ANYCCL_INT32, root, harness->comm, next++));
    CHECK_OK(anyccl_all_gather_init(sent, got[3], COUNT, ANYCCL_INT32, harness->comm, next++));
    CHECK_OK(anyccl_gather_init(sent, got[4], COUNT, ANYCCL_INT32, root, harness->comm, next++));
    CHECK_OK(anyccl_scatter_init(sent, got[5], COUNT, ANYCCL_INT32, root, harness->comm, next++));
    CHECK_OK(anyccl_reduce_scatter_init(sent, got[6], COUNT, ANYCCL_INT32, ANYCCL_SUM, harness->comm, next++));
    CHECK_OK(anyccl_all_to_all_init(sent, got[7], COUNT, ANYCCL_INT32, harness->comm, next++));
    CHECK_OK(anyccl_barrier_init(harness->comm, next++));
    CHECK(next == requests + REQUESTS);

    for (int run = 0; run < RUNS; run++) {
        /* Element i of block b of rank r is 1000*r + 100*b + run + i. */
        for (int i = 0; i < COUNT * size; i++)
            sent[i] = 1000 * rank + i + run;
        CHECK_OK(anyccl_start_all(REQUESTS, requests));
        CHECK_OK(anyccl_wait_all(REQUESTS, requests));
        for (int i = 0; i < COUNT; i++) {
            const int ranks = 1000 * (size * (size - 1) / 2);
            CHECK(got[0][i] == ranks + size * (i + run));
            CHECK(rank != root || got[1][i] == 1000 * root + i + run);
            CHECK(got[2][i] == 1000 * root + i + run);
            CHECK(got[5][i] == 1000 * root + COUNT * rank + i + run);
            CHECK(got[6][i] == ranks + size * (COUNT * rank + i + run));
            for (int r = 0; r < size; r++) {
                CHECK(got[3][COUNT * r + i] == 1000 * r + i + run);
                CHECK(rank != root || got[4][COUNT * r + i] == 1000 * r + i + run);
                CHECK(got[7][COUNT * r + i] == 1000 * r + COUNT * rank + i + run);
            }
        }
    }
    for (int k = 0; k < REQUESTS; k++) {
        CHECK_OK(anyccl_request_free(&requests[k]));
        CHECK(requests[k] == ANYCCL_REQUEST_NULL);
    }
}

static void around_the_ring(struct harness *harness, void *shared)
{
    int out = 0, in = 0, done = 0;
    anyccl_request_t send, recv;
    const int right = (harness->rank + 1) % harness->size, left = (harness->rank + harness->size - 1) % harness->size;
    (void)shared;
    CHECK_OK(anyccl_send_init(&out, 1, ANYCCL_INT32, right, 0, harness->comm, &send));
    CHECK_OK(anyccl_recv_init(&in, 1, ANYCCL_INT32, left, 0, harness->comm, &recv));
    /* A request that was not started counts as ended. */
    CHECK_OK(anyccl_wait(&send));
    CHECK_OK(anyccl_test(&recv, &done));
    CHECK(done == 1 && send != ANYCCL_REQUEST_NULL && recv != ANYCCL_REQUEST_NULL);
    for (int run = 0; run < RUNS; run++) {
        out = 100 * harness->rank + run;
        CHECK_OK(anyccl_start(recv));
        CHECK_OK(anyccl_start(send));
        for (done = 0; !done;)
            CHECK_OK(anyccl_test(&recv, &done));
        CHECK(in == 100 * left + run);
        CHECK_OK(anyccl_wait(&send));
    }
    CHECK_OK(anyccl_request_free(&send));
    CHECK_OK(anyccl_request_free(&recv));
}

static void scaled(struct harness *harness, void *shared)
{
    double scalar = 0, sum = 0;
    const double one = 1;
    anyccl_reduce_op_t op;
    anyccl_request_t request;
    (void)shared;
    CHECK_OK(anyccl_op_create_premul_sum(&scalar, ANYCCL_FLOAT64, ANYCCL_SCALAR_DEFERRED, &op));
    CHECK_OK(anyccl_all_reduce_init(&one, &sum, 1, ANYCCL_FLOAT64, op, harness->comm, &request));
    CHECK_OK(anyccl_op_destroy(op));
    for (int run = 1; run <= RUNS; run++) {
        scalar = run;
        CHECK_OK(anyccl_start(request));
        CHECK_OK(anyccl_wait(&request));
        CHECK(sum == (double)run * harness->size);
    }
    CHECK_OK(anyccl_request_free(&request));
}

static void wrong_uses(struct harness *harness, void *shared)
{
    int value = 1, sum = 0;
    anyccl_request_t persistent, once, both[2], old;
    (void)shared;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_all_reduce_init(&value, NULL, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &persistent));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_all_reduce_init(&value, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, NULL));
    CHECK_OK(anyccl_all_reduce_init(&value, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &persistent));

    /* A second start without an end in between is refused. */
    CHECK_OK(anyccl_start(persistent));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_start(persistent));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_request_free(&persistent));
    CHECK_OK(anyccl_wait(&persistent));
    CHECK(sum == harness->size);

    /* One request is not persistent, so nothing is started. */
    CHECK_OK(anyccl_ibarrier(harness->comm, &once));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_start(once));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_request_free(&once));
    both[0] = persistent, both[1] = once;
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_start_all(2, both));
    both[1] = persistent;
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_start_all(2, both));
    both[1] = ANYCCL_REQUEST_NULL;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_start_all(2, both));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_start_all(1, NULL));
    CHECK_OK(anyccl_start_all(0, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_start(ANYCCL_REQUEST_NULL));
    CHECK_OK(anyccl_wait(&once));

    /* A persistent request keeps its communicator. */
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_comm_destroy(harness->comm));
    old = persistent;
    CHECK_OK(anyccl_request_free(&persistent));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_request_free(&old));
    CHECK_OK(anyccl_request_free(&persistent));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_request_free(NULL));
}

int main(void)
{
    for (int size = 1; size <= MOST; size++) {
        run_ranks(size, PATIENCE_MS, all_collectives, NULL);
        run_ranks(size, PATIENCE_MS, around_the_ring, NULL);
        run_ranks(size, PATIENCE_MS, scaled, NULL);
    }
    run_ranks(3, PATIENCE_MS, wrong_uses, NULL);
    return 0;
}
