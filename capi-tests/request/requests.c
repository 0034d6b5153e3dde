/* Tests of requests: many at once, waits in any order, polling, and the errors of wrong use. */
#include "check.h"
#include "ranks.h"

enum { MANY = 32, COUNT = 100 };

static void fill(int *array, int value)
{
    for (int i = 0; i < COUNT; i++)
        array[i] = value + i;
}

/* Sum over `size` ranks of what `fill(array, step * (rank + 1))` wrote at i. */
static int sum_at(int size, int step, int i)
{
    return step * size * (size + 1) / 2 + size * i;
}

static void check_sums(int size, int step, const int *array)
{
    for (int i = 0; i < COUNT; i++)
        CHECK(array[i] == sum_at(size, step, i));
}

static void many_at_once(struct harness *harness, void *shared)
{
    static const int UNSET = -1;
    anyccl_request_t requests[MANY + 1];
    int (*sent)[COUNT] = malloc(sizeof(int[MANY][COUNT])), (*got)[COUNT] = malloc(sizeof(int[MANY][COUNT]));
    (void)shared;
    CHECK(sent != NULL && got != NULL);
    for (int k = 0; k < MANY; k++) {
        fill(sent[k], (k + 1) * (harness->rank + 1));
        got[k][0] = UNSET;
        CHECK_OK(anyccl_iall_reduce(sent[k], got[k], COUNT, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[k]));
    }
    requests[MANY] = ANYCCL_REQUEST_NULL; /* skipped */

    /* The last one first, then one by testing, then the rest. */
    CHECK_OK(anyccl_wait(&requests[MANY - 1]));
    check_sums(harness->size, MANY, got[MANY - 1]);
    int done = 0;
    while (!done)
        CHECK_OK(anyccl_test(&requests[3], &done));
    CHECK(requests[3] == ANYCCL_REQUEST_NULL);
    check_sums(harness->size, 4, got[3]);
    CHECK_OK(anyccl_wait_all(MANY + 1, requests));
    for (int k = 0; k < MANY; k++) {
        CHECK(requests[k] == ANYCCL_REQUEST_NULL);
        check_sums(harness->size, k + 1, got[k]);
    }
    free(sent);
    free(got);
}

/* Every rank sends to every rank, itself included. Receives are started in another order than sends. */
static void everybody_to_everybody(struct harness *harness, void *shared)
{
    anyccl_request_t requests[8];
    int sent[4], got[4];
    (void)shared;
    for (int k = 0; k < harness->size; k++) {
        const int from = (harness->rank + k) % harness->size;
        CHECK_OK(anyccl_irecv(&got[from], 1, ANYCCL_INT32, from, 0, harness->comm, &requests[k]));
    }
    for (int to = 0; to < harness->size; to++) {
        sent[to] = 10 * harness->rank + to;
        CHECK_OK(anyccl_isend(&sent[to], 1, ANYCCL_INT32, to, 0, harness->comm, &requests[harness->size + to]));
    }
    CHECK_OK(anyccl_wait_all(2 * (size_t)harness->size, requests));
    for (int from = 0; from < harness->size; from++)
        CHECK(got[from] == 10 * from + harness->rank);
}

/* Between two ranks, transfers meet in the order in which they were started, empty ones too. */
static void in_order(struct harness *harness, void *shared)
{
    int values[3] = {1, 2, 3}, first = 0, second = 0;
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_send(&values[0], 1, ANYCCL_INT32, 1, 0, harness->comm));
        CHECK_OK(anyccl_send(NULL, 0, ANYCCL_INT32, 1, 0, harness->comm));
        CHECK_OK(anyccl_send(&values[1], 1, ANYCCL_INT32, 1, 0, harness->comm));
    } else if (harness->rank == 1) {
        CHECK_OK(anyccl_recv(&first, 1, ANYCCL_INT32, 0, 0, harness->comm, NULL));
        CHECK_OK(anyccl_recv(NULL, 0, ANYCCL_INT32, 0, 0, harness->comm, NULL));
        CHECK_OK(anyccl_recv(&second, 1, ANYCCL_INT32, 0, 0, harness->comm, NULL));
        CHECK(first == 1 && second == 2);
    }
}

/* A wait that times out leaves the operation as it was. */
static void for_a_while(struct harness *harness, void *shared)
{
    int got = 0, value = 7, done = 2;
    anyccl_request_t request;
    anyccl_message_status_t status = {-5, -5, -5, -5, 5, 5};
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_irecv(&got, 1, ANYCCL_INT32, 1, 3, harness->comm, &request));
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_for(&request, -2, &done, NULL));
        CHECK(done == 2);
        for (int ms = 0; ms <= 20; ms += 20) {
            CHECK_OK(anyccl_wait_for(&request, ms, &done, &status));
            CHECK(done == 0 && request != ANYCCL_REQUEST_NULL && status.source == -5);
        }
        CHECK_OK(anyccl_send(&value, 1, ANYCCL_INT32, 1, 0, harness->comm));
        CHECK_OK(anyccl_wait_for(&request, PATIENCE_MS, &done, &status));
        CHECK(done == 1 && request == ANYCCL_REQUEST_NULL && got == 8);
        CHECK(status.source == 1 && status.tag == 3 && status.count == 1);
        /* A completed operation needs no time. */
        CHECK_OK(anyccl_wait_for(&request, 0, &done, &status));
        CHECK(done == 1);
    } else {
        CHECK_OK(anyccl_recv(&got, 1, ANYCCL_INT32, 0, 0, harness->comm, NULL));
        value = got + 1;
        CHECK_OK(anyccl_isend(&value, 1, ANYCCL_INT32, 0, 3, harness->comm, &request));
        CHECK_OK(anyccl_wait_for(&request, ANYCCL_TIMEOUT_NEVER, &done, NULL));
        CHECK(done == 1 && request == ANYCCL_REQUEST_NULL);
    }
}

/* Receives 4 elements by a limited call, which leaves a request if `is_late`. */
static void receive_limited(struct harness *harness, int *got, int is_late)
{
    anyccl_request_t unfinished = ANYCCL_REQUEST_NULL;
    anyccl_message_status_t status = {-5, -5, -5, -5, 5, 5};
    int done = 0;
    CHECK_OK(anyccl_set_blocking_limit(is_late ? 10 : PATIENCE_MS, &unfinished));
    CHECK_OK(anyccl_recv(got, 4, ANYCCL_INT32, 1, 3, harness->comm, &status));
    CHECK_OK(anyccl_set_blocking_limit(ANYCCL_TIMEOUT_NEVER, NULL));
    CHECK((unfinished != ANYCCL_REQUEST_NULL) == is_late);
    if (is_late) {
        CHECK(status.source == -5);
        CHECK_OK(anyccl_send(got, 0, ANYCCL_INT32, 1, 0, harness->comm));
        CHECK_OK(anyccl_wait_for(&unfinished, PATIENCE_MS, &done, &status));
        CHECK(done == 1);
    }
    CHECK(status.source == 1 && status.count == 4 && got[3] == 14);
}

/* A blocking call with a limit leaves a request when another rank is late. The first call of each kind goes another
 * way than the later ones. */
static void limited(struct harness *harness, void *shared)
{
    int value[4] = {1, 2, 3, 14}, got[4], sum = 0;
    anyccl_request_t unfinished = ANYCCL_REQUEST_NULL;
    (void)shared;
    for (int round = 0; round < 3; round++) {
        if (harness->rank == 0) {
            receive_limited(harness, got, 1);
            receive_limited(harness, got, 0);
            CHECK_OK(anyccl_set_blocking_limit(10, &unfinished));
            CHECK_OK(anyccl_all_reduce(value, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
            CHECK(unfinished != ANYCCL_REQUEST_NULL);
            CHECK_OK(anyccl_set_blocking_limit(ANYCCL_TIMEOUT_NEVER, NULL));
            CHECK_OK(anyccl_send(value, 0, ANYCCL_INT32, 1, 0, harness->comm));
            CHECK_OK(anyccl_wait(&unfinished));
            CHECK(unfinished == ANYCCL_REQUEST_NULL);
        } else {
            CHECK_OK(anyccl_recv(NULL, 0, ANYCCL_INT32, 0, 0, harness->comm, NULL));
            CHECK_OK(anyccl_send(value, 4, ANYCCL_INT32, 0, 3, harness->comm));
            CHECK_OK(anyccl_send(value, 4, ANYCCL_INT32, 0, 3, harness->comm));
            CHECK_OK(anyccl_recv(NULL, 0, ANYCCL_INT32, 0, 0, harness->comm, NULL));
            CHECK_OK(anyccl_all_reduce(value, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
        }
        CHECK(sum == 2);
    }
}

/* anyccl_try_recv receives a message of the stated length and leaves any other one where it is. */
static void tried(struct harness *harness, void *shared)
{
    int value[4] = {1, 2, 3, 14}, got[4] = {0, 0, 0, 0}, received = 2;
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_try_recv(got, 4, ANYCCL_INT32, 1, 3, harness->comm, &received));
        CHECK(received == 0 && got[3] == 0);
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                     anyccl_try_recv(got, 4, ANYCCL_INT32, 7, 3, harness->comm, &received));
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                     anyccl_try_recv(got, 4, ANYCCL_INT32, ANYCCL_ANY_SOURCE, 3, harness->comm, &received));
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                     anyccl_try_recv(got, 4, ANYCCL_INT32, 1, ANYCCL_ANY_TAG, harness->comm, &received));
        CHECK_OK(anyccl_send(NULL, 0, ANYCCL_INT32, 1, 0, harness->comm));
        /* Nothing else is under way, so it comes. */
        while (!received)
            CHECK_OK(anyccl_try_recv(got, 4, ANYCCL_INT32, 1, 3, harness->comm, &received));
        CHECK(received == 1 && got[0] == 1 && got[3] == 14);
        CHECK_OK(anyccl_probe(1, 4, harness->comm, NULL));
        CHECK_OK(anyccl_try_recv(got, 4, ANYCCL_INT32, 1, 4, harness->comm, &received));
        CHECK(received == 0);
        CHECK_OK(anyccl_recv(got, 2, ANYCCL_INT32, 1, 4, harness->comm, NULL));
        CHECK(got[0] == 3 && got[1] == 14);
    } else {
        CHECK_OK(anyccl_recv(NULL, 0, ANYCCL_INT32, 0, 0, harness->comm, NULL));
        CHECK_OK(anyccl_send(value, 4, ANYCCL_INT32, 0, 3, harness->comm));
        CHECK_OK(anyccl_send(value + 2, 2, ANYCCL_INT32, 0, 4, harness->comm));
    }
}

static void wrong_uses(struct harness *harness, void *shared)
{
    anyccl_request_t request, twice[2];
    (void)shared;
    CHECK_OK(anyccl_ibarrier(harness->comm, &request));

    /* An open request keeps its communicator. */
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_comm_destroy(harness->comm));
    /* A request that is given twice is refused, and none is waited for. */
    twice[0] = twice[1] = request;
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_wait_all(2, twice));
    CHECK(twice[0] == request && twice[1] == request);
    /* The handle of a communicator is not a request. */
    twice[1] = (anyccl_request_t)(void *)harness->comm;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_all(2, twice));
    CHECK(twice[0] == request);

    CHECK_OK(anyccl_wait(&request));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait(&twice[0]));
}

int main(void)
{
    for (int size = 1; size <= 4; size++) {
        run_ranks(size, PATIENCE_MS, many_at_once, NULL);
        run_ranks(size, PATIENCE_MS, everybody_to_everybody, NULL);
    }
    run_ranks(2, PATIENCE_MS, in_order, NULL);
    run_ranks(2, PATIENCE_MS, for_a_while, NULL);
    run_ranks(2, PATIENCE_MS, limited, NULL);
    run_ranks(2, PATIENCE_MS, tried, NULL);
    run_ranks(3, PATIENCE_MS, wrong_uses, NULL);
    return 0;
}
