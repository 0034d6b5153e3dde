/* Tests of communicators made from others: split, split by host, dup, from a list of ranks, shrink, and the
 * arguments that these calls refuse. */
#include "check.h"
#include "ranks.h"

#include <string.h>

static long sum_of(anyccl_comm_t comm, long value)
{
    CHECK_OK(anyccl_all_reduce(&value, &value, 1, ANYCCL_INT64, ANYCCL_SUM, comm));
    return value;
}

static int rank_in(anyccl_comm_t comm)
{
    int rank = -1;
    CHECK_OK(anyccl_comm_rank(comm, &rank));
    return rank;
}

static int size_of(anyccl_comm_t comm)
{
    int size = -1;
    CHECK_OK(anyccl_comm_size(comm, &size));
    return size;
}

static void parts(struct harness *harness, void *shared)
{
    anyccl_comm_t part = NULL, host = NULL, copy = NULL, list = NULL;
    const int last_first[] = {harness->size - 1, 0};
    struct harness inner = {NULL, harness->rank, harness->size, OF_THE_PROGRAM};
    (void)shared;

    /* The last rank stays outside; the others are numbered backwards. */
    CHECK_OK(anyccl_comm_split(harness->comm, harness->rank == harness->size - 1 ? ANYCCL_COLOR_NONE : 7,
                               -harness->rank, NULL, &part));
    if (harness->rank == harness->size - 1) {
        CHECK(part == ANYCCL_COMM_NONE);
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_barrier(part));
        CHECK(strstr(anyccl_last_error(), "ANYCCL_COMM_NONE") != NULL);
    } else {
        CHECK(size_of(part) == harness->size - 1 && rank_in(part) == harness->size - 2 - harness->rank);
        CHECK(sum_of(part, 1) == harness->size - 1);
    }
    CHECK_OK(anyccl_comm_split_by_host(harness->comm, NULL, &host));
    CHECK(size_of(host) == harness->size && rank_in(host) == harness->rank);
    CHECK_OK(anyccl_comm_dup(harness->comm, NULL, &copy));
    inner.comm = copy;
    try_all_collectives(&inner, ANYCCL_INT32, ANYCCL_SUM, 11);
    CHECK_OK(anyccl_comm_create_from_ranks(harness->comm, last_first, 2, NULL, &list));
    if (list != ANYCCL_COMM_NONE)
        CHECK(rank_in(list) == (harness->rank == 0) && sum_of(list, harness->rank) == harness->size - 1);
    else
        CHECK(harness->rank != 0 && harness->rank != harness->size - 1);

    /* Destroying is local, so each rank may choose the order. */
    CHECK_OK(anyccl_comm_destroy(harness->rank % 2 ? copy : host));
    CHECK_OK(anyccl_comm_destroy(harness->rank % 2 ? host : copy));
    CHECK_OK(anyccl_comm_destroy(list));
    CHECK_OK(anyccl_comm_destroy(part));
    CHECK(sum_of(harness->comm, 1) == harness->size);
}

static void refusals(struct harness *harness, void *shared)
{
    const int twice[] = {0, 0}, far[] = {0, 99};
    const int mine[] = {harness->rank};
    anyccl_comm_t made = NULL;
    (void)shared;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_split(harness->comm, -2, 0, NULL, &made));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_split(harness->comm, 0, 0, NULL, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_dup((anyccl_comm_t)8, NULL, &made));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_from_ranks(harness->comm, twice, 2, NULL, &made));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_from_ranks(harness->comm, far, 2, NULL, &made));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_from_ranks(harness->comm, NULL, 1, NULL, &made));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_from_ranks(harness->comm, mine, -1, NULL, &made));
    /* Each rank lists only itself. The lists disagree, and the communicator stays usable. */
    CHECK_STATUS(ANYCCL_ERR_MISMATCH, anyccl_comm_create_from_ranks(harness->comm, mine, 1, NULL, &made));
    CHECK(strstr(anyccl_last_error(), "create_from_ranks") != NULL);
    CHECK(made == NULL);
    CHECK_OK(anyccl_comm_create_from_ranks(harness->comm, NULL, 0, NULL, &made));
    CHECK(made == ANYCCL_COMM_NONE);
    CHECK(sum_of(harness->comm, 1) == harness->size);
}

/* One rank fails the communicator and leaves; the others go on, twice. */
static void shrinking(struct harness *harness, void *shared)
{
    anyccl_comm_t copy, rest, again;
    (void)shared;
    CHECK_OK(anyccl_comm_dup(harness->comm, NULL, &copy));
    if (harness->rank == 0) {
        CHECK_OK(anyccl_comm_abort(copy));
        CHECK_OK(anyccl_comm_destroy(copy));
    } else {
        CHECK_STATUS(ANYCCL_ERR_ABORTED, anyccl_barrier(copy));
        CHECK_OK(anyccl_comm_shrink(copy, NULL, &rest));
        CHECK(size_of(rest) == harness->size - 1 && rank_in(rest) == harness->rank - 1);
        CHECK(sum_of(rest, 1) == harness->size - 1);
        CHECK_OK(anyccl_comm_destroy(copy));
        CHECK_OK(anyccl_comm_shrink(rest, NULL, &again));
        CHECK(sum_of(again, 1) == harness->size - 1);
        CHECK_OK(anyccl_comm_destroy(rest));
        CHECK_OK(anyccl_comm_destroy(again));
    }
    CHECK(sum_of(harness->comm, 1) == harness->size);
}

/* An argument is the largest number of ranks. */
int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 4;
    for (int size = 2; size <= most; size++) {
        run_ranks(size, PATIENCE_MS, parts, NULL);
        run_ranks(size, PATIENCE_MS, refusals, NULL);
        run_ranks(size, PATIENCE_MS, shrinking, NULL);
    }
    return 0;
}
