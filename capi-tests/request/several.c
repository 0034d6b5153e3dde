/* Tests of waits for the first of several requests and for some, and of polls for any and all. */
#include <pthread.h>

#include "check.h"
#include "ranks.h"

enum { MANY = 8 };

/* Rank 0 receives MANY values that rank 1 sends one after the other, each when it is asked for. */
static void one_by_one(struct harness *harness, void *shared)
{
    int got[MANY], values[MANY];
    anyccl_request_t requests[MANY + 2];
    size_t index = 3;
    (void)shared;
    if (harness->rank == 1) {
        for (int k = 0; k < MANY; k++) {
            int asked;
            CHECK_OK(anyccl_recv(&asked, 1, ANYCCL_INT32, 0, 0, harness->comm, NULL));
            values[k] = 100 + k;
            CHECK_OK(anyccl_send(&values[k], 1, ANYCCL_INT32, 0, 0, harness->comm));
        }
        return;
    }
    for (int k = 0; k < MANY; k++)
        CHECK_OK(anyccl_irecv(&got[k], 1, ANYCCL_INT32, 1, 0, harness->comm, &requests[k]));
    requests[MANY] = ANYCCL_REQUEST_NULL;
    /* A persistent request that was never started is skipped. */
    CHECK_OK(anyccl_barrier_init(harness->comm, &requests[MANY + 1]));
    for (int k = 0; k < MANY; k++) {
        int done = 7;
        CHECK_OK(anyccl_test_all(MANY + 2, requests, &done));
        CHECK(done == 0);
        CHECK_OK(anyccl_test_any(MANY + 2, requests, &index, &done));
        CHECK(done == 0 && index == ANYCCL_NO_INDEX);
        CHECK_OK(anyccl_send(&k, 1, ANYCCL_INT32, 1, 0, harness->comm));
        if (k % 2 == 0) {
            CHECK_OK(anyccl_wait_any(MANY + 2, requests, &index));
        } else {
            size_t ended = 0, indices[MANY + 2];
            anyccl_status_t statuses[MANY + 2];
            CHECK_OK(anyccl_wait_some(MANY + 2, requests, &ended, indices, statuses));
            CHECK(ended == 1 && statuses[0] == ANYCCL_SUCCESS);
            index = indices[0];
        }
        CHECK(index == (size_t)k && got[k] == 100 + k && requests[k] == ANYCCL_REQUEST_NULL);
    }
    CHECK_OK(anyccl_wait_any(MANY + 2, requests, &index));
    CHECK(index == ANYCCL_NO_INDEX);
    CHECK_OK(anyccl_request_free(&requests[MANY + 1]));
}

static void all_together(struct harness *harness, void *shared)
{
    int sent[MANY], got[MANY], done = 0;
    anyccl_request_t requests[MANY];
    (void)shared;
    for (int k = 0; k < MANY; k++) {
        sent[k] = k;
        CHECK_OK(anyccl_iall_reduce(&sent[k], &got[k], 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[k]));
    }
    while (!done)
        CHECK_OK(anyccl_test_all(MANY, requests, &done));
    for (int k = 0; k < MANY; k++)
        CHECK(got[k] == k * harness->size && requests[k] == ANYCCL_REQUEST_NULL);
    for (int k = 0; k < MANY; k++)
        CHECK_OK(anyccl_ibarrier(harness->comm, &requests[k]));
    for (int k = 0; k < MANY;) {
        size_t index = 0;
        CHECK_OK(anyccl_test_any(MANY, requests, &index, &done));
        if (done) {
            CHECK(index < MANY && requests[index] == ANYCCL_REQUEST_NULL);
            k++;
        }
    }
}

static void wrong_uses(struct harness *harness, void *shared)
{
    anyccl_request_t request, twice[2];
    size_t index = 5, ended = 5;
    int done = 5;
    (void)shared;
    CHECK_OK(anyccl_ibarrier(harness->comm, &request));
    twice[0] = twice[1] = request;
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_wait_any(2, twice, &index));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_test_all(2, twice, &done));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_any(1, &request, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_any(1, NULL, &index));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_some(1, &request, &ended, NULL, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_test_any(1, &request, &index, NULL));
    CHECK(index == 5 && ended == 5 && done == 5 && twice[0] == request);
    CHECK_OK(anyccl_wait_any(0, NULL, &index));
    CHECK(index == ANYCCL_NO_INDEX);
    CHECK_OK(anyccl_wait(&request));
}

/* A failure comes with the index of the failed request. An abort also ends what the other rank begins, so both begin
 * first. */
static void failing(struct harness *harness, void *begun)
{
    anyccl_request_t requests[2] = {ANYCCL_REQUEST_NULL, ANYCCL_REQUEST_NULL};
    size_t index = 0;
    int value;
    CHECK_OK(anyccl_irecv(&value, 1, ANYCCL_INT32, 1 - harness->rank, 0, harness->comm, &requests[1]));
    pthread_barrier_wait(begun);
    if (harness->rank == 0)
        CHECK_OK(anyccl_comm_abort(harness->comm));
    CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_wait_any(2, requests, &index));
    CHECK(index == 1 && requests[1] == ANYCCL_REQUEST_NULL);
}

/* anyccl_wait_ready waits until a request has ended, and completes none. A test then tells which request has
 * ended, and the status of its message. */
static void ready(struct harness *harness, void *shared)
{
    anyccl_request_t requests[2];
    anyccl_message_status_t told;
    int values[2] = {-1, -1}, sent = 7, done = 0;
    (void)shared;
    CHECK_OK(anyccl_wait_ready(0, NULL));
    if (harness->rank == 1) {
        CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, 0, 5, harness->comm));
        CHECK_OK(anyccl_recv(&values[0], 1, ANYCCL_INT32, 0, 0, harness->comm, NULL));
        CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, 0, 4, harness->comm));
        return;
    }
    CHECK_OK(anyccl_irecv(&values[0], 1, ANYCCL_INT32, ANYCCL_ANY_SOURCE, 4, harness->comm, &requests[0]));
    CHECK_OK(anyccl_irecv(&values[1], 1, ANYCCL_INT32, ANYCCL_ANY_SOURCE, 5, harness->comm, &requests[1]));
    CHECK_OK(anyccl_wait_ready(2, requests));
    CHECK(requests[0] != ANYCCL_REQUEST_NULL && requests[1] != ANYCCL_REQUEST_NULL && values[1] == 7);
    CHECK_OK(anyccl_test(&requests[0], &done));
    CHECK(done == 0);
    CHECK_OK(anyccl_test_message(&requests[1], &done, &told));
    CHECK(done == 1 && told.source == 1 && told.tag == 5 && requests[1] == ANYCCL_REQUEST_NULL);
    CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, 1, 0, harness->comm));
    CHECK_OK(anyccl_wait_ready(2, requests));
    CHECK_OK(anyccl_test(&requests[0], &done));
    CHECK(done == 1 && values[0] == 7);
}

/* A time-out, and the number of waits that ended early. */
struct limit {
    int timeout_ms, waits;
};

/* The time-out counts across waits that end early. An operation has the time-out that was set when it was
 * started. */
static void patience(struct harness *harness, void *shared)
{
    struct limit *const limit = shared;
    anyccl_request_t requests[2];
    int value, other, done = 0;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_set_timeout(harness->comm, 0));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_set_timeout(harness->comm, -2));
    CHECK_OK(anyccl_comm_set_timeout(harness->comm, ANYCCL_TIMEOUT_NEVER));
    CHECK_OK(anyccl_comm_set_timeout(harness->comm, limit->timeout_ms));
    if (harness->rank == 1) {
        /* Each of these messages ends a wait of rank 0. They go on until rank 0 fails. */
        anyccl_status_t status;
        do
            status = anyccl_send(&harness->rank, 1, ANYCCL_INT32, 0, 1, harness->comm);
        while (status == ANYCCL_SUCCESS &&
               anyccl_recv(&value, 1, ANYCCL_INT32, 0, 2, harness->comm, NULL) == ANYCCL_SUCCESS);
        CHECK_STATUS(ANYCCL_ERR_TIMEOUT, anyccl_comm_failure(harness->comm));
        return;
    }
    /* Rank 1 never joins the call. */
    CHECK_OK(anyccl_ibarrier(harness->comm, &requests[0]));
    while (!done) {
        if (anyccl_irecv(&other, 1, ANYCCL_INT32, 1, 1, harness->comm, &requests[1]) != ANYCCL_SUCCESS)
            break;
        CHECK_OK(anyccl_wait_ready(2, requests));
        if (anyccl_test(&requests[1], &done) != ANYCCL_SUCCESS)
            break;
        limit->waits += done;
        done = 0;
        if (requests[1] == ANYCCL_REQUEST_NULL &&
            anyccl_send(&other, 1, ANYCCL_INT32, 1, 2, harness->comm) != ANYCCL_SUCCESS)
            break;
    }
    CHECK_STATUS(ANYCCL_ERR_TIMEOUT, anyccl_wait(&requests[0]));
}

int main(void)
{
    pthread_barrier_t begun;
    run_ranks(2, PATIENCE_MS, one_by_one, NULL);
    for (int size = 1; size <= 4; size++)
        run_ranks(size, PATIENCE_MS, all_together, NULL);
    run_ranks(2, PATIENCE_MS, wrong_uses, NULL);
    CHECK(pthread_barrier_init(&begun, NULL, 2) == 0);
    run_ranks(2, PATIENCE_MS, failing, &begun);
    CHECK(pthread_barrier_destroy(&begun) == 0);
    run_ranks(2, PATIENCE_MS, ready, NULL);
    /* On a busy machine, only a longer time-out may leave room for several waits. */
    for (struct limit limit = {200, 0}; limit.waits < 2; limit.timeout_ms *= 2) {
        CHECK(limit.timeout_ms < PATIENCE_MS);
        limit.waits = 0;
        run_ranks(2, PATIENCE_MS, patience, &limit);
    }
    return 0;
}
