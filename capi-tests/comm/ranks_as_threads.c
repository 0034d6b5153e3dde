/* Tests of several ranks in one process: each thread makes its communicator from the same id. They compare
 * every collective with the oracle, blocking and nonblocking, apart and in place. Two communicators are in
 * use at once. */
#include "check.h"
#include "ranks.h"

static void everything(struct harness *harness, void *shared)
{
    int rank = -1, size = -1, local_rank = -1, local_size = -1;
    (void)shared;
    CHECK_OK(anyccl_comm_rank(harness->comm, &rank));
    CHECK_OK(anyccl_comm_size(harness->comm, &size));
    CHECK_OK(anyccl_comm_local_rank(harness->comm, &local_rank));
    CHECK_OK(anyccl_comm_local_size(harness->comm, &local_size));
    CHECK(rank == harness->rank && size == harness->size && local_rank == rank && local_size == size);
    try_all_datatypes(harness, harness->size - 1);
    CHECK_OK(anyccl_barrier(harness->comm));
}

/* While the outer communicator is open, its ranks make another one, with the ranks reversed. */
static void two_communicators(struct harness *harness, void *shared)
{
    anyccl_unique_id_t id;
    struct harness inner = {NULL, harness->size - 1 - harness->rank, harness->size, OF_THE_PROGRAM};
    (void)shared;
    if (harness->rank == 0)
        CHECK_OK(anyccl_get_unique_id(&id));
    CHECK_OK(anyccl_broadcast(&id, &id, sizeof id, ANYCCL_BYTE, 0, harness->comm));
    CHECK_OK(anyccl_comm_create(&id, inner.size, inner.rank, NULL, &inner.comm));
    try_all_collectives(&inner, ANYCCL_INT32, ANYCCL_SUM, 11);
    try_all_collectives(harness, ANYCCL_INT32, ANYCCL_SUM, 11);
    CHECK_OK(anyccl_comm_destroy(inner.comm));
    try_all_collectives(harness, ANYCCL_INT32, ANYCCL_SUM, 3);
}

/* An argument is the largest number of ranks. Runs that check every access use fewer. */
int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 4;
    CHECK(most >= 1 && most <= 4);
    for (int size = 1; size <= most; size++)
        run_ranks(size, PATIENCE_MS, everything, NULL);
    run_ranks(3, PATIENCE_MS, two_communicators, NULL);
    return 0;
}
