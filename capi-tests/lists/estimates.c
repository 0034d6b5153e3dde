/* Tests of estimates: calls that are not made, and whose time is predicted. */
#include <string.h>

#include "check.h"
#include "ranks.h"

/* Predicted microseconds of an all_reduce of so many elements. */
static double of_all_reduce(struct harness *harness, size_t count)
{
    double us = -1;
    int *buffer = calloc(count, sizeof *buffer);
    CHECK(buffer != NULL);
    CHECK_OK(anyccl_estimate_begin());
    CHECK_OK(anyccl_all_reduce(buffer, buffer, count, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    CHECK_OK(anyccl_estimate_end(&us));
    free(buffer);
    return us;
}

/* One rank alone estimates calls of every kind. Nothing is sent, nothing is written, nobody waits. */
static void alone(struct harness *harness, void *shared)
{
    const size_t counts[4] = {1, 2, 3, 4}, lengths[2] = {1, 3};
    int mine[4] = {1, 2, 3, 4}, all[10] = {0}, next = (harness->rank + 1) % harness->size;
    const void *sends[2] = {&mine[0], &mine[1]};
    void *recvs[2] = {&mine[0], &mine[1]};
    anyccl_request_t request;
    double us = -1, again = -1;
    (void)shared;
    if (harness->rank == 0) {
        CHECK_OK(anyccl_estimate_begin());
        CHECK_OK(anyccl_all_gather_v(mine, all, counts, NULL, ANYCCL_INT32, harness->comm));
        CHECK_OK(anyccl_all_reduce_coalesced(sends, recvs, lengths, 2, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
        CHECK_OK(anyccl_barrier(harness->comm));
        CHECK_OK(anyccl_recv(all, 4, ANYCCL_INT32, next, 0, harness->comm, NULL));
        CHECK_OK(anyccl_irecv(all, 4, ANYCCL_INT32, ANYCCL_ANY_SOURCE, 0, harness->comm, &request));
        CHECK_OK(anyccl_wait(&request));
        CHECK_OK(anyccl_isend(mine, 4, ANYCCL_INT32, next, 0, harness->comm, &request));
        CHECK_OK(anyccl_wait(&request));
        CHECK_OK(anyccl_estimate_end(&us));
        for (int k = 0; k < 10; k++)
            CHECK(all[k] == 0);
        CHECK(us > 0 && us < 1e6);
        CHECK(of_all_reduce(harness, 2) <= of_all_reduce(harness, 200000));
    }
    /* The ranks that have estimated nothing make the same calls afterwards. */
    CHECK_OK(anyccl_all_reduce(&mine[1], &all[0], 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    CHECK(all[0] == 2 * harness->size && mine[0] == 1 && mine[3] == 4);
    /* Equal calls have equal estimates on all ranks. */
    us = of_all_reduce(harness, 1000);
    CHECK_OK(anyccl_all_reduce(&us, &again, 1, ANYCCL_FLOAT64, ANYCCL_MAX, harness->comm));
    CHECK(us == again);
}

static void misuse(struct harness *harness, void *shared)
{
    anyccl_request_t prepared;
    anyccl_message_t taken = NULL;
    int number = 7;
    double us = -1;
    (void)shared;
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_estimate_end(&us));
    CHECK_OK(anyccl_batch_begin());
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_estimate_begin());
    CHECK_OK(anyccl_batch_end());
    CHECK_OK(anyccl_broadcast_init(&number, &number, 1, ANYCCL_INT32, 0, harness->comm, &prepared));
    CHECK_OK(anyccl_estimate_begin());
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_mrecv(&number, 1, ANYCCL_INT32, &taken, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_estimate_end(&us));
    CHECK_OK(anyccl_estimate_begin());
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_estimate_begin());
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_batch_end());
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_start(prepared));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_probe(0, 0, harness->comm, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_estimate_end(NULL));
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_send(&number, 1, ANYCCL_INT32, 9, 0, harness->comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_estimate_end(&us));
    CHECK(us > 0 && strstr(anyccl_last_error(), "invalid peer") != NULL);
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_batch_end());
    CHECK_OK(anyccl_start(prepared));
    CHECK_OK(anyccl_wait(&prepared));
    CHECK_OK(anyccl_request_free(&prepared));
}

int main(void)
{
    for (int size = 2; size <= 4; size++)
        run_ranks(size, PATIENCE_MS, alone, NULL);
    run_ranks(2, PATIENCE_MS, misuse, NULL);
    return 0;
}
