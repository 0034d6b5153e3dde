/* Tests of failures among the ranks: no rank hangs, every rank gets a status and a sentence, and the
 * communicator can still be destroyed. */
#include <string.h>

#include "check.h"
#include "ranks.h"

enum { SHORT_MS = 300 };

/* The failure stays: every later call repeats it. */
static void check_failed(struct harness *harness, int status)
{
    int buffer = 0;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CHECK_STATUS(status, anyccl_comm_failure(harness->comm));
    CHECK(strlen(anyccl_last_error()) > strlen("anyccl_comm_failure: "));
    CHECK_STATUS(status, anyccl_barrier(harness->comm));
    CHECK_STATUS(status, anyccl_all_reduce(&buffer, &buffer, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    const int started = anyccl_ibarrier(harness->comm, &request);
    CHECK_STATUS(status, started == ANYCCL_SUCCESS ? anyccl_wait(&request) : (anyccl_status_t)started);
    CHECK(request == ANYCCL_REQUEST_NULL);
}

static void another_count(struct harness *harness, void *shared)
{
    int sent[8] = {0}, got[8];
    const size_t count = harness->rank == 0 ? 3 : 5;
    (void)shared;
    CHECK_STATUS(ANYCCL_ERR_MISMATCH, anyccl_all_reduce(sent, got, count, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    /* The sentence names both calls. */
    CHECK(strstr(anyccl_last_error(), "count 3") != NULL && strstr(anyccl_last_error(), "count 5") != NULL);
    check_failed(harness, ANYCCL_ERR_MISMATCH);
}

static void another_call(struct harness *harness, void *shared)
{
    int sent[8] = {0}, got[8];
    (void)shared;
    const int status = harness->rank == 0 ? anyccl_all_reduce(sent, got, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm)
                                          : anyccl_broadcast(sent, got, 1, ANYCCL_INT32, 1, harness->comm);
    /* The root of a broadcast may complete before it learns of the mismatch. */
    if (harness->rank == 0 || status != ANYCCL_SUCCESS)
        CHECK_STATUS(ANYCCL_ERR_MISMATCH, (anyccl_status_t)status);
    if (status != ANYCCL_SUCCESS)
        CHECK(strstr(anyccl_last_error(), "all_reduce") != NULL && strstr(anyccl_last_error(), "broadcast") != NULL);
    else
        CHECK_STATUS(ANYCCL_ERR_MISMATCH, anyccl_barrier(harness->comm));
    check_failed(harness, ANYCCL_ERR_MISMATCH);
}

static void one_aborts(struct harness *harness, void *shared)
{
    (void)shared;
    if (harness->rank == 0)
        CHECK_OK(anyccl_comm_abort(harness->comm));
    else
        CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_barrier(harness->comm));
    check_failed(harness, ANYCCL_ERR_ABORTED);
}

/* The reason of rank 0 is in the sentences of all ranks, cut where it is long. It may be missing, or not UTF-8. */
static void one_tells_why(struct harness *harness, void *reason)
{
    if (harness->rank == 0)
        CHECK_OK(anyccl_comm_abort_with(harness->comm, reason));
    else
        CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_barrier(harness->comm));
    CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_comm_failure(harness->comm));
    const char *quoted =
        reason != NULL && *(const char *)reason != '\0' ? "rank 0: a test" : "rank 0: anyccl_comm_abort_with";
    CHECK(strstr(anyccl_last_error(), quoted) != NULL);
    CHECK(strlen(anyccl_last_error()) < 2500);
    check_failed(harness, ANYCCL_ERR_ABORTED);
}

/* Waits in short steps. The time-out of the communicator counts across the steps. */
static anyccl_status_t barrier_in_steps(anyccl_comm_t comm)
{
    int done = 0;
    anyccl_request_t request;
    anyccl_status_t status = anyccl_ibarrier(comm, &request);
    while (status == ANYCCL_SUCCESS && !done)
        status = anyccl_wait_for(&request, SHORT_MS / 10, &done, NULL);
    CHECK(request == ANYCCL_REQUEST_NULL);
    return status;
}

static void one_does_not_come(struct harness *harness, void *in_steps)
{
    /* The ranks had a long time-out to meet. From here on it is short. */
    CHECK_OK(anyccl_comm_set_timeout(harness->comm, SHORT_MS));
    /* Rank 0 does not enter the barrier. The time-out of the others fails the communicator on all ranks. */
    while (harness->rank == 0 && anyccl_comm_failure(harness->comm) == ANYCCL_SUCCESS) {
        /* No rank answers the started operation. Testing it makes progress on the communicator. */
        int done = 0, buffer;
        anyccl_request_t request;
        int status = anyccl_irecv(&buffer, 1, ANYCCL_INT32, 1, 0, harness->comm, &request);
        while (status == ANYCCL_SUCCESS && !done)
            status = anyccl_test(&request, &done);
        CHECK(status != ANYCCL_SUCCESS);
    }
    if (harness->rank != 0) {
        CHECK_STATUS(ANYCCL_ERR_TIMEOUT, in_steps ? barrier_in_steps(harness->comm) : anyccl_barrier(harness->comm));
        check_failed(harness, ANYCCL_ERR_TIMEOUT);
    }
}

/* A request may outlive a communicator that has failed. */
static void an_open_request_is_told(struct harness *harness, void *shared)
{
    int got[4];
    anyccl_request_t request;
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_irecv(got, 4, ANYCCL_INT32, 1, 0, harness->comm, &request));
        CHECK_OK(anyccl_comm_abort(harness->comm));
        CHECK_OK(anyccl_comm_destroy(harness->comm));
        harness->comm = NULL;
        CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_wait(&request));
        CHECK(request == ANYCCL_REQUEST_NULL);
    } else {
        CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_barrier(harness->comm));
    }
}

int main(void)
{
    run_ranks(2, PATIENCE_MS, another_count, NULL);
    run_ranks(2, PATIENCE_MS, another_call, NULL);
    for (int size = 2; size <= 4; size++)
        run_ranks(size, PATIENCE_MS, one_aborts, NULL);
    char longest[5000] = "a test ";
    memset(longest + strlen(longest), 'x', sizeof longest - strlen(longest) - 1);
    char *reasons[] = {"a test of reasons", "a test \xff\xfe", longest, "", NULL};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        run_ranks(2, PATIENCE_MS, one_tells_why, reasons[i]);
    int in_steps = 1;
    run_ranks(3, PATIENCE_MS, one_does_not_come, NULL);
    run_ranks(3, PATIENCE_MS, one_does_not_come, &in_steps);
    run_ranks(2, PATIENCE_MS, an_open_request_is_told, NULL);
    return 0;
}
