/* Tests of messages: tags, any source and any tag, the status of a message, probes, synchronous sends,
 * cancels, and messages that contradict their receives. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ranks.h"

enum { LARGE = 300000 };

/* Messages are received in the order of arrival. A probe tells how much room a message needs. */
static void from_anybody(struct harness *harness, void *shared)
{
    double values[100];
    anyccl_message_status_t status;
    (void)shared;
    if (harness->rank != 0) {
        for (int i = 0; i < 100; i++)
            values[i] = harness->rank;
        CHECK_OK(
            anyccl_send(values, 10 * (size_t)harness->rank, ANYCCL_FLOAT64, 0, 100 + harness->rank, harness->comm));
        return;
    }
    for (int k = 1; k < harness->size; k++) {
        CHECK_OK(anyccl_probe(ANYCCL_ANY_SOURCE, ANYCCL_ANY_TAG, harness->comm, &status));
        const int source = status.source;
        CHECK(source > 0 && status.tag == 100 + source && status.count == 10 * (size_t)source);
        CHECK(status.bytes == 80 * (size_t)source && status.datatype == ANYCCL_FLOAT64 && status.cancelled == 0);
        memset(&status, 0xff, sizeof status);
        CHECK_OK(anyccl_recv(values, 100, ANYCCL_FLOAT64, source, ANYCCL_ANY_TAG, harness->comm, &status));
        CHECK(status.source == source && status.tag == 100 + source && status.count == 10 * (size_t)source);
        CHECK(values[0] == source && values[status.count - 1] == source);
    }
}

/* Messages with other tags wait until they are asked for, whatever their sizes. */
static void by_tag(struct harness *harness, void *shared)
{
    static int first[LARGE], second[LARGE], got[LARGE];
    anyccl_request_t requests[2];
    anyccl_message_status_t status;
    (void)shared;
    if (harness->rank == 0) {
        first[LARGE - 1] = 1;
        second[LARGE - 1] = 2;
        CHECK_OK(anyccl_isend(first, LARGE, ANYCCL_INT32, 1, 1, harness->comm, &requests[0]));
        CHECK_OK(anyccl_issend(second, LARGE, ANYCCL_INT32, 1, 2, harness->comm, &requests[1]));
        CHECK_OK(anyccl_send(NULL, 0, ANYCCL_INT32, 1, 3, harness->comm));
        CHECK_OK(anyccl_wait_all(2, requests));
    } else {
        CHECK_OK(anyccl_recv(NULL, 0, ANYCCL_INT32, 0, 3, harness->comm, NULL));
        CHECK_OK(anyccl_recv(got, LARGE, ANYCCL_INT32, 0, 2, harness->comm, NULL));
        CHECK(got[LARGE - 1] == 2);
        CHECK_OK(
            anyccl_irecv(got, LARGE, ANYCCL_INT32, ANYCCL_ANY_SOURCE, ANYCCL_ANY_TAG, harness->comm, &requests[0]));
        CHECK_OK(anyccl_wait_message(&requests[0], &status));
        CHECK(requests[0] == ANYCCL_REQUEST_NULL && got[LARGE - 1] == 1);
        CHECK(status.source == 0 && status.tag == 1 && status.count == LARGE);
    }
}

/* Every rank sends a large message to its right at the same time. */
static void around_a_ring(struct harness *harness, void *shared)
{
    const int right = (harness->rank + 1) % harness->size, left = (harness->rank + harness->size - 1) % harness->size;
    int *out = calloc(LARGE, sizeof *out), *in = calloc(LARGE, sizeof *in);
    anyccl_message_status_t status;
    (void)shared;
    CHECK(out != NULL && in != NULL);
    out[0] = out[LARGE - 1] = harness->rank;
    CHECK_OK(
        anyccl_sendrecv(out, LARGE, ANYCCL_INT32, right, 5, in, LARGE, ANYCCL_INT32, left, 5, harness->comm, &status));
    CHECK(status.source == left && in[0] == left && in[LARGE - 1] == left);
    /* If an argument of either half is refused, nothing is sent. */
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_sendrecv(out, 1, ANYCCL_INT32, right, 5, in, 1, ANYCCL_INT32,
                                                              harness->size, 5, harness->comm, NULL));
    int found = 1;
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK_OK(anyccl_iprobe(ANYCCL_ANY_SOURCE, ANYCCL_ANY_TAG, harness->comm, &found, NULL));
    CHECK(found == 0);
    free(out);
    free(in);
}

/* A message that a matched probe has taken out is received once, by its handle. */
static void taken_out(struct harness *harness, void *shared)
{
    int values[4] = {1, 2, 3, 4}, got[4] = {0, 0, 0, 0}, later = 0;
    anyccl_message_t message, none = (anyccl_message_t)values, copy;
    anyccl_message_status_t status;
    anyccl_request_t request;
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_ssend(values, 4, ANYCCL_INT32, 1, 6, harness->comm));
        CHECK_OK(anyccl_ssend(&values[3], 1, ANYCCL_INT32, 1, 6, harness->comm));
        return;
    }
    CHECK_OK(anyccl_mprobe(0, 6, harness->comm, &message, &status));
    CHECK(message != NULL && status.count == 4);
    CHECK_OK(anyccl_improbe(ANYCCL_ANY_SOURCE, ANYCCL_ANY_TAG, harness->comm, &none, NULL));
    CHECK(none == NULL);
    copy = message;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mrecv(NULL, 4, ANYCCL_INT32, &message, NULL));
    CHECK(message == copy);
    CHECK_OK(anyccl_mrecv(got, 4, ANYCCL_INT32, &message, &status));
    CHECK(message == NULL && status.tag == 6 && memcmp(got, values, sizeof got) == 0);
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mrecv(got, 4, ANYCCL_INT32, &copy, NULL));
    while (none == NULL)
        CHECK_OK(anyccl_improbe(ANYCCL_ANY_SOURCE, ANYCCL_ANY_TAG, harness->comm, &none, &status));
    CHECK(status.count == 1);
    CHECK_OK(anyccl_imrecv(&later, 1, ANYCCL_INT32, &none, &request));
    int done = 0;
    while (!done)
        CHECK_OK(anyccl_test_message(&request, &done, &status));
    CHECK(none == NULL && later == 4 && status.source == 0);
}

/* Rank 0 starts a collective and then only probes. The others send after the collective, so the probes of rank 0
 * must make progress on it. */
static void behind_a_collective(struct harness *harness, void *shared)
{
    enum { MANY = 100000 };
    int *numbers = calloc(MANY, sizeof *numbers), found = 0;
    anyccl_request_t request;
    (void)shared;
    CHECK(numbers != NULL);
    CHECK_OK(anyccl_iall_reduce(numbers, numbers, MANY, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &request));
    for (int from = 1; harness->rank == 0 && from < harness->size; from++) {
        anyccl_message_t message = NULL;
        for (found = 0; !found;)
            CHECK_OK(anyccl_iprobe(from, 1, harness->comm, &found, NULL));
        while (message == NULL)
            CHECK_OK(anyccl_improbe(from, 1, harness->comm, &message, NULL));
        CHECK_OK(anyccl_mrecv(NULL, 0, ANYCCL_INT32, &message, NULL));
    }
    CHECK_OK(anyccl_wait(&request));
    if (harness->rank != 0)
        CHECK_OK(anyccl_send(NULL, 0, ANYCCL_INT32, 0, 1, harness->comm));
    free(numbers);
}

/* A synchronous send does not complete before it is received. */
static void synchronous(struct harness *harness, void *shared)
{
    int value = 7, got = 0, done = 0;
    anyccl_request_t request;
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_issend(&value, 1, ANYCCL_INT32, 1, 1, harness->comm, &request));
        /* When rank 1 answers, it has probed the message and not received it. */
        CHECK_OK(anyccl_recv(&got, 1, ANYCCL_INT32, 1, 2, harness->comm, NULL));
        CHECK_OK(anyccl_test(&request, &done));
        CHECK(done == 0);
        CHECK_OK(anyccl_send(&value, 1, ANYCCL_INT32, 1, 3, harness->comm));
        CHECK_OK(anyccl_wait(&request));
    } else {
        CHECK_OK(anyccl_probe(0, 1, harness->comm, NULL));
        CHECK_OK(anyccl_send(&value, 1, ANYCCL_INT32, 0, 2, harness->comm));
        CHECK_OK(anyccl_recv(&got, 1, ANYCCL_INT32, 0, 3, harness->comm, NULL));
        CHECK_OK(anyccl_recv(&got, 1, ANYCCL_INT32, 0, 1, harness->comm, NULL));
    }
}

static void cancelled(struct harness *harness, void *shared)
{
    const int peer = 1 - harness->rank;
    int value = harness->rank, never = 9, got = 9;
    anyccl_request_t request;
    anyccl_message_status_t status;
    (void)shared;
    CHECK_OK(anyccl_irecv(&never, 1, ANYCCL_INT32, peer, 1, harness->comm, &request));
    CHECK_OK(anyccl_cancel(request));
    CHECK_OK(anyccl_wait_message(&request, &status));
    CHECK(status.cancelled == 1 && never == 9);
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK_OK(anyccl_sendrecv(&value, 1, ANYCCL_INT32, peer, 1, &got, 1, ANYCCL_INT32, peer, 1, harness->comm, &status));
    CHECK(status.cancelled == 0 && got == peer && never == 9);
}

/* Both sides learn that the buffer was too small, and what the other side did. */
static void too_long(struct harness *harness, void *shared)
{
    int values[8] = {0};
    (void)shared;
    if (harness->rank == 0) {
        const int status = anyccl_ssend(values, 8, ANYCCL_INT32, 1, 1, harness->comm);
        CHECK(status == ANYCCL_ERR_MISMATCH);
    } else {
        CHECK_STATUS(ANYCCL_ERR_MISMATCH, anyccl_recv(values, 4, ANYCCL_INT32, 0, 1, harness->comm, NULL));
    }
    CHECK(strstr(anyccl_last_error(), "rank 0 sent 8 elements of int32") != NULL);
    CHECK(strstr(anyccl_last_error(), "rank 1 receives at most 4 of int32") != NULL);
    CHECK(anyccl_comm_failure(harness->comm) == ANYCCL_ERR_MISMATCH);
}

int main(void)
{
    for (int size = 2; size <= 4; size++) {
        run_ranks(size, PATIENCE_MS, from_anybody, NULL);
        run_ranks(size, PATIENCE_MS, around_a_ring, NULL);
    }
    run_ranks(2, PATIENCE_MS, by_tag, NULL);
    run_ranks(2, PATIENCE_MS, taken_out, NULL);
    run_ranks(4, PATIENCE_MS, behind_a_collective, NULL);
    run_ranks(2, PATIENCE_MS, synchronous, NULL);
    run_ranks(2, PATIENCE_MS, cancelled, NULL);
    run_ranks(2, PATIENCE_MS, too_long, NULL);
    return 0;
}
