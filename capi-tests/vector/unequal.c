/* Tests of calls with unequal blocks, and of scans: results, refused arguments, and errors when the ranks
 * disagree. The argument is the number of ranks. Ranks are threads. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ranks.h"
#include "unequal_calls.h"

enum { ROOM = MOST_RANKS * 4 };

static void everything_comes_out_right(struct harness *harness, void *shared)
{
    (void)shared;
    try_all_unequal(harness);
}

/* Rank 1 expects one element more from rank 0 than rank 0 sends to it. */
static void a_wrong_count_is_named_on_all_ranks(struct harness *harness, void *shared)
{
    int send[ROOM] = {0}, recv[ROOM];
    size_t send_counts[MOST_RANKS], recv_counts[MOST_RANKS];
    int status;

    (void)shared;
    for (int peer = 0; peer < harness->size; peer++)
        send_counts[peer] = recv_counts[peer] = 3;
    if (harness->rank == 1)
        recv_counts[0] = 4;
    status = anyccl_all_to_all_v(send, recv, send_counts, NULL, recv_counts, NULL, ANYCCL_INT32, harness->comm);
    /* A rank that has received everything learns of the failure in a later call. */
    for (int i = 0; i < 2 && status == ANYCCL_SUCCESS; i++)
        status = anyccl_barrier(harness->comm);
    CHECK(status == ANYCCL_ERR_MISMATCH);
    CHECK(strstr(anyccl_last_error(), "a block of 3") != NULL && strstr(anyccl_last_error(), "a block of 4") != NULL);
    CHECK(strstr(anyccl_last_error(), "rank 0 called") != NULL && strstr(anyccl_last_error(), "rank 1 called") != NULL);
}

#define REFUSED(function, call)                                                                                        \
    do {                                                                                                               \
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, call);                                                               \
        CHECK(strncmp(anyccl_last_error(), #function ": ", strlen(#function) + 2) == 0);                               \
    } while (0)

static void arguments_that_are_no_good(void)
{
    int a[8] = {0}, b[8] = {0};
    const size_t counts[1] = {2}, none[1] = {0}, other[1] = {3}, huge[1] = {SIZE_MAX};
    const void *sends[1] = {a}, *no_send[1] = {NULL};
    void *recvs[1] = {b}, *no_recv[1] = {NULL};
    const int nobody = 1;
    anyccl_graph_t graph = NULL;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;

    CHECK_OK(anyccl_init_with(NULL));
    REFUSED(anyccl_all_gather_v, anyccl_all_gather_v(a, b, NULL, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_gather_v, anyccl_all_gather_v(NULL, b, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_gather_v, anyccl_all_gather_v(a, NULL, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_gather_v, anyccl_all_gather_v(a, b, huge, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_gather_v, anyccl_all_gather_v(a, b, counts, huge, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_gather_v, anyccl_all_gather_v(a, a + 1, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_iall_gather_v, anyccl_iall_gather_v(a, b, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_gather_v, anyccl_gather_v(a, b, 2, NULL, NULL, ANYCCL_INT32, 0, ANYCCL_WORLD));
    REFUSED(anyccl_gather_v, anyccl_gather_v(a, b, 2, counts, NULL, ANYCCL_INT32, 1, ANYCCL_WORLD));
    /* The block that a rank sends to itself must be as long as the block that it receives from itself. */
    REFUSED(anyccl_gather_v, anyccl_gather_v(a, b, 2, other, NULL, ANYCCL_INT32, 0, ANYCCL_WORLD));
    REFUSED(anyccl_igather_v, anyccl_igather_v(a, b, 2, counts, NULL, ANYCCL_INT32, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_scatter_v, anyccl_scatter_v(a, b, NULL, NULL, 2, ANYCCL_INT32, 0, ANYCCL_WORLD));
    REFUSED(anyccl_scatter_v, anyccl_scatter_v(a, b, counts, NULL, 3, ANYCCL_INT32, 0, ANYCCL_WORLD));
    REFUSED(anyccl_iscatter_v, anyccl_iscatter_v(a, b, counts, NULL, 2, ANYCCL_INT32, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_reduce_scatter_v, anyccl_reduce_scatter_v(a, b, NULL, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    REFUSED(anyccl_reduce_scatter_v, anyccl_reduce_scatter_v(a, b, counts, ANYCCL_BYTE, ANYCCL_SUM, ANYCCL_WORLD));
    REFUSED(anyccl_ireduce_scatter_v,
            anyccl_ireduce_scatter_v(a, b, counts, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_all_to_all_v, anyccl_all_to_all_v(a, b, NULL, NULL, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_to_all_v, anyccl_all_to_all_v(a, b, counts, NULL, NULL, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_to_all_v, anyccl_all_to_all_v(a, b, counts, NULL, other, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_to_all_v, anyccl_all_to_all_v(a, b, counts, NULL, counts, NULL, 99, ANYCCL_WORLD));
    REFUSED(anyccl_iall_to_all_v,
            anyccl_iall_to_all_v(a, b, counts, NULL, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_all_to_all_list, anyccl_all_to_all_list(NULL, recvs, counts, counts, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_to_all_list, anyccl_all_to_all_list(sends, NULL, counts, counts, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_to_all_list, anyccl_all_to_all_list(no_send, recvs, counts, counts, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_to_all_list, anyccl_all_to_all_list(sends, no_recv, counts, counts, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_iall_to_all_list,
            anyccl_iall_to_all_list(sends, recvs, counts, counts, ANYCCL_INT32, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_all_gather_list, anyccl_all_gather_list(a, NULL, counts, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_all_gather_list, anyccl_all_gather_list(NULL, recvs, counts, ANYCCL_INT32, ANYCCL_WORLD));
    REFUSED(anyccl_iall_gather_list, anyccl_iall_gather_list(a, recvs, counts, ANYCCL_INT32, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_graph_create, anyccl_graph_create(NULL, 1, NULL, 0, ANYCCL_WORLD, &graph));
    REFUSED(anyccl_graph_create, anyccl_graph_create(NULL, 0, NULL, 1, ANYCCL_WORLD, &graph));
    REFUSED(anyccl_graph_create, anyccl_graph_create(&nobody, 1, NULL, 0, ANYCCL_WORLD, &graph));
    REFUSED(anyccl_graph_create, anyccl_graph_create(NULL, 0, NULL, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_neighbor_all_gather_v,
            anyccl_neighbor_all_gather_v(a, b, 2, counts, NULL, ANYCCL_INT32, NULL, ANYCCL_WORLD));
    CHECK_OK(anyccl_graph_destroy(NULL));
    CHECK(graph == NULL);
    REFUSED(anyccl_scan, anyccl_scan(NULL, b, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    REFUSED(anyccl_scan, anyccl_scan(a, NULL, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    REFUSED(anyccl_iscan, anyccl_iscan(a, b, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_exscan, anyccl_exscan(NULL, b, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    REFUSED(anyccl_iexscan, anyccl_iexscan(a, b, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD, NULL));
    CHECK(request == ANYCCL_REQUEST_NULL);
    /* Empty blocks need no pointer. */
    CHECK_OK(anyccl_all_to_all_v(NULL, NULL, none, NULL, none, NULL, ANYCCL_INT32, ANYCCL_WORLD));
    CHECK_OK(anyccl_all_to_all_list(no_send, no_recv, none, none, ANYCCL_INT32, ANYCCL_WORLD));
    CHECK_OK(anyccl_exscan(a, NULL, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    CHECK_OK(anyccl_finalize());
}

int main(int argc, char **argv)
{
    const int ranks = argc > 1 ? atoi(argv[1]) : 4;
    arguments_that_are_no_good();
    for (int size = 1; size <= ranks; size++)
        run_ranks(size, PATIENCE_MS, everything_comes_out_right, NULL);
    for (int size = 2; size <= ranks; size++)
        run_ranks(size, PATIENCE_MS, a_wrong_count_is_named_on_all_ranks, NULL);
    return 0;
}
