/* Thousands of calls of several kinds under way at the same time. */
#include "check.h"
#include "ranks.h"

enum { CALLS = 3000, MOST_RANKS = 4 };

static void start_one(const struct harness *harness, int k, const int *mine, int *got, anyccl_request_t *request)
{
    const int root = k % harness->size;
    switch (k % 5) {
    case 0:
        CHECK_OK(anyccl_iall_reduce(mine, got, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, request));
        break;
    case 1:
        CHECK_OK(anyccl_ibroadcast(mine, got, 1, ANYCCL_INT32, root, harness->comm, request));
        break;
    case 2:
        CHECK_OK(anyccl_iall_gather(mine, got, 1, ANYCCL_INT32, harness->comm, request));
        break;
    case 3:
        CHECK_OK(anyccl_ireduce(mine, got, 1, ANYCCL_INT32, ANYCCL_MAX, root, harness->comm, request));
        break;
    default:
        CHECK_OK(anyccl_ibarrier(harness->comm, request));
    }
}

static void check_one(const struct harness *harness, int k, const int *got)
{
    const int root = k % harness->size;
    switch (k % 5) {
    case 0:
        CHECK(got[0] == harness->size * 7 * k + harness->size * (harness->size - 1) / 2);
        break;
    case 1:
        CHECK(got[0] == 7 * k + root);
        break;
    case 2:
        for (int rank = 0; rank < harness->size; rank++)
            CHECK(got[rank] == 7 * k + rank);
        break;
    case 3:
        CHECK(harness->rank != root || got[0] == 7 * k + harness->size - 1);
        break;
    default:
        break;
    }
}

/* Any number of calls may be under way: the last rank makes its first one when rank 0 has started all. */
static void thousands_under_way(struct harness *harness, void *shared)
{
    anyccl_request_t *requests = malloc(sizeof(anyccl_request_t[CALLS]));
    int *mine = malloc(sizeof(int[CALLS])), (*got)[MOST_RANKS] = malloc(sizeof(int[CALLS][MOST_RANKS]));
    const int last = harness->size - 1;
    (void)shared;
    CHECK(requests != NULL && mine != NULL && got != NULL);
    if (harness->rank == last)
        CHECK_OK(anyccl_recv(NULL, 0, ANYCCL_INT32, 0, 0, harness->comm, NULL));
    for (int k = 0; k < CALLS; k++) {
        mine[k] = 7 * k + harness->rank;
        start_one(harness, k, &mine[k], got[k], &requests[k]);
    }
    if (harness->rank == 0)
        CHECK_OK(anyccl_send(NULL, 0, ANYCCL_INT32, last, 0, harness->comm));
    CHECK_OK(anyccl_wait(&requests[CALLS - 1]));
    CHECK_OK(anyccl_wait_all(CALLS, requests));
    for (int k = 0; k < CALLS; k++)
        check_one(harness, k, got[k]);
    free(requests);
    free(mine);
    free(got);
}

int main(void)
{
    run_ranks(2, PATIENCE_MS, thousands_under_way, NULL);
    run_ranks(MOST_RANKS, PATIENCE_MS, thousands_under_way, NULL);
    return 0;
}
