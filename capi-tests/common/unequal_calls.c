#include "unequal_calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { LONGEST = 16, ROOM = MOST_RANKS * (LONGEST + 2) };

/* Number of elements that `from` has for `to`. Some are 0. */
static size_t length(int from, int to)
{
    return (size_t)((from * 5 + to * 3) % LONGEST);
}

/* Element `at` of the block that `from` has for `to`. */
static int element(int from, int to, size_t at)
{
    return from * 10000 + to * 100 + (int)at;
}

/* Waits for a nonblocking call. A blocking one has no request. */
static void finish(int started, anyccl_request_t *request)
{
    if (started)
        CHECK_OK(anyccl_wait(request));
}

/* Sets the offset of each block: from the last block to the first with a gap behind each, or side by side, for
 * which the displacements are NULL. */
static const size_t *displace(int spread, const size_t *counts, int size, size_t *displs, size_t *offsets)
{
    size_t end = 0;
    for (int i = 0; i < size; i++) {
        const int rank = spread ? size - 1 - i : i;
        displs[rank] = offsets[rank] = end;
        end += counts[rank] + (spread ? 2 : 0);
    }
    return spread ? displs : NULL;
}

static void all_to_all(const struct harness *harness, int spread, int started)
{
    static const int NOTHING = -7;
    int send[ROOM], recv[ROOM];
    size_t send_counts[MOST_RANKS], recv_counts[MOST_RANKS], displs[2][MOST_RANKS], offsets[2][MOST_RANKS];
    const size_t *given[2];
    anyccl_request_t request;
    size_t written = 0;

    for (int peer = 0; peer < harness->size; peer++) {
        send_counts[peer] = length(harness->rank, peer);
        recv_counts[peer] = length(peer, harness->rank);
    }
    given[0] = displace(spread, send_counts, harness->size, displs[0], offsets[0]);
    given[1] = displace(spread, recv_counts, harness->size, displs[1], offsets[1]);
    for (int i = 0; i < ROOM; i++)
        send[i] = recv[i] = NOTHING;
    for (int peer = 0; peer < harness->size; peer++)
        for (size_t at = 0; at < send_counts[peer]; at++)
            send[offsets[0][peer] + at] = element(harness->rank, peer, at);

    if (started)
        CHECK_OK(anyccl_iall_to_all_v(send, recv, send_counts, given[0], recv_counts, given[1], ANYCCL_INT32,
                                      harness->comm, &request));
    else
        CHECK_OK(
            anyccl_all_to_all_v(send, recv, send_counts, given[0], recv_counts, given[1], ANYCCL_INT32, harness->comm));
    finish(started, &request);
    for (int peer = 0; peer < harness->size; peer++) {
        for (size_t at = 0; at < recv_counts[peer]; at++)
            CHECK(recv[offsets[1][peer] + at] == element(peer, harness->rank, at));
        written += recv_counts[peer];
    }
    for (int i = 0; i < ROOM; i++)
        written += recv[i] == NOTHING;
    CHECK(written == ROOM);
}

static void lists(const struct harness *harness, int started)
{
    size_t send_counts[MOST_RANKS], recv_counts[MOST_RANKS];
    int *sends[MOST_RANKS], *recvs[MOST_RANKS];
    anyccl_request_t request;

    for (int peer = 0; peer < harness->size; peer++) {
        send_counts[peer] = length(harness->rank, peer);
        recv_counts[peer] = length(peer, harness->rank);
        /* An empty block needs no pointer. */
        sends[peer] = send_counts[peer] ? malloc(send_counts[peer] * sizeof(int)) : NULL;
        recvs[peer] = recv_counts[peer] ? malloc(recv_counts[peer] * sizeof(int)) : NULL;
        for (size_t at = 0; at < send_counts[peer]; at++)
            sends[peer][at] = element(harness->rank, peer, at);
    }
    if (started)
        CHECK_OK(anyccl_iall_to_all_list((const void *const *)sends, (void *const *)recvs, send_counts, recv_counts,
                                         ANYCCL_INT32, harness->comm, &request));
    else
        CHECK_OK(anyccl_all_to_all_list((const void *const *)sends, (void *const *)recvs, send_counts, recv_counts,
                                        ANYCCL_INT32, harness->comm));
    finish(started, &request);
    for (int peer = 0; peer < harness->size; peer++)
        for (size_t at = 0; at < recv_counts[peer]; at++)
            CHECK(recvs[peer][at] == element(peer, harness->rank, at));

    /* An all-gather of the blocks that the ranks have for rank 0. */
    int own[LONGEST];
    for (int peer = 0; peer < harness->size; peer++) {
        recv_counts[peer] = length(peer, 0);
        free(recvs[peer]);
        recvs[peer] = malloc(LONGEST * sizeof(int));
    }
    for (size_t at = 0; at < length(harness->rank, 0); at++)
        own[at] = element(harness->rank, 0, at);
    if (started)
        CHECK_OK(
            anyccl_iall_gather_list(own, (void *const *)recvs, recv_counts, ANYCCL_INT32, harness->comm, &request));
    else
        CHECK_OK(anyccl_all_gather_list(own, (void *const *)recvs, recv_counts, ANYCCL_INT32, harness->comm));
    finish(started, &request);
    for (int peer = 0; peer < harness->size; peer++) {
        for (size_t at = 0; at < recv_counts[peer]; at++)
            CHECK(recvs[peer][at] == element(peer, 0, at));
        free(sends[peer]);
        free(recvs[peer]);
    }
}

static void gather_and_scatter(const struct harness *harness, int root, int started)
{
    int own[LONGEST], back[LONGEST], all[ROOM];
    size_t counts[MOST_RANKS], end = 0;
    const int is_root = harness->rank == root;
    const size_t mine = length(harness->rank, 0);
    anyccl_request_t request;

    for (int rank = 0; rank < harness->size; rank++)
        counts[rank] = length(rank, 0);
    for (size_t at = 0; at < mine; at++)
        own[at] = element(harness->rank, 0, at);
    /* Only the root gives the counts of all ranks. */
    if (started)
        CHECK_OK(anyccl_igather_v(own, is_root ? all : NULL, mine, is_root ? counts : NULL, NULL, ANYCCL_INT32, root,
                                  harness->comm, &request));
    else
        CHECK_OK(anyccl_gather_v(own, is_root ? all : NULL, mine, is_root ? counts : NULL, NULL, ANYCCL_INT32, root,
                                 harness->comm));
    finish(started, &request);
    for (int rank = 0; is_root && rank < harness->size; rank++)
        for (size_t at = 0; at < counts[rank]; at++)
            CHECK(all[end++] == element(rank, 0, at));

    if (started)
        CHECK_OK(anyccl_iscatter_v(is_root ? all : NULL, back, is_root ? counts : NULL, NULL, mine, ANYCCL_INT32, root,
                                   harness->comm, &request));
    else
        CHECK_OK(anyccl_scatter_v(is_root ? all : NULL, back, is_root ? counts : NULL, NULL, mine, ANYCCL_INT32, root,
                                  harness->comm));
    finish(started, &request);
    CHECK(memcmp(own, back, mine * sizeof(int)) == 0);

    /* The same blocks on every rank, by all_gather_v. */
    if (started)
        CHECK_OK(anyccl_iall_gather_v(own, all, counts, NULL, ANYCCL_INT32, harness->comm, &request));
    else
        CHECK_OK(anyccl_all_gather_v(own, all, counts, NULL, ANYCCL_INT32, harness->comm));
    finish(started, &request);
    end = 0;
    for (int rank = 0; rank < harness->size; rank++)
        for (size_t at = 0; at < counts[rank]; at++)
            CHECK(all[end++] == element(rank, 0, at));
}

static void reductions(const struct harness *harness, int started)
{
    int send[ROOM], recv[ROOM];
    size_t counts[MOST_RANKS], first = 0;
    anyccl_request_t request;

    for (int rank = 0; rank < harness->size; rank++) {
        counts[rank] = length(rank, 1);
        first += rank < harness->rank ? counts[rank] : 0;
    }
    for (size_t at = 0; at < ROOM; at++)
        send[at] = element(harness->rank, 0, at);
    if (started)
        CHECK_OK(anyccl_ireduce_scatter_v(send, recv, counts, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &request));
    else
        CHECK_OK(anyccl_reduce_scatter_v(send, recv, counts, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    finish(started, &request);
    for (size_t at = 0; at < counts[harness->rank]; at++) {
        int sum = 0;
        for (int rank = 0; rank < harness->size; rank++)
            sum += element(rank, 0, first + at);
        CHECK(recv[at] == sum);
    }

    /* Prefixes: `recv` includes this rank, `before` does not. */
    int before[LONGEST];
    for (size_t at = 0; at < LONGEST; at++)
        before[at] = -7;
    if (started) {
        anyccl_request_t two[2];
        CHECK_OK(anyccl_iscan(send, recv, LONGEST, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &two[0]));
        CHECK_OK(anyccl_iexscan(send, before, LONGEST, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &two[1]));
        CHECK_OK(anyccl_wait_all(2, two));
    } else {
        CHECK_OK(anyccl_scan(send, recv, LONGEST, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
        CHECK_OK(anyccl_exscan(send, before, LONGEST, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
    }
    for (size_t at = 0; at < LONGEST; at++) {
        int sum = 0;
        for (int rank = 0; rank < harness->rank; rank++)
            sum += element(rank, 0, at);
        CHECK(before[at] == (harness->rank ? sum : -7));
        CHECK(recv[at] == sum + element(harness->rank, 0, at));
    }
}

/* A ring in both directions: each rank receives from its left and its right. */
static void neighbors(const struct harness *harness, int started)
{
    const int left = (harness->rank + harness->size - 1) % harness->size, right = (harness->rank + 1) % harness->size;
    const int sources[2] = {left, right}, destinations[2] = {right, left};
    const size_t send_counts[2] = {2, 1}, recv_counts[2] = {2, 1};
    const int send[3] = {harness->rank * 10, harness->rank * 10 + 1, harness->rank * 10 + 2};
    int recv[3] = {-1, -1, -1}, all[4] = {-1, -1, -1, -1};
    anyccl_graph_t graph;
    anyccl_request_t request;

    CHECK_OK(anyccl_graph_create(sources, 2, destinations, 2, harness->comm, &graph));
    if (started)
        CHECK_OK(anyccl_ineighbor_all_to_all_v(send, recv, send_counts, NULL, recv_counts, NULL, ANYCCL_INT32, graph,
                                               harness->comm, &request));
    else
        CHECK_OK(anyccl_neighbor_all_to_all_v(send, recv, send_counts, NULL, recv_counts, NULL, ANYCCL_INT32, graph,
                                              harness->comm));
    finish(started, &request);
    CHECK(recv[0] == left * 10 && recv[1] == left * 10 + 1 && recv[2] == right * 10 + 2);

    const size_t two[2] = {2, 2};
    if (started)
        CHECK_OK(anyccl_ineighbor_all_gather_v(send, all, 2, two, NULL, ANYCCL_INT32, graph, harness->comm, &request));
    else
        CHECK_OK(anyccl_neighbor_all_gather_v(send, all, 2, two, NULL, ANYCCL_INT32, graph, harness->comm));
    finish(started, &request);
    CHECK(all[0] == left * 10 && all[1] == left * 10 + 1 && all[2] == right * 10 && all[3] == right * 10 + 1);
    CHECK_OK(anyccl_graph_destroy(graph));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_graph_destroy(graph));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_neighbor_all_gather_v(send, all, 2, two, NULL, ANYCCL_INT32, graph, harness->comm));

    /* A graph in which every rank sends to rank 0, and rank 0 receives from none, is refused. */
    graph = NULL;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_graph_create(NULL, 0, (const int[]){0}, 1, harness->comm, &graph));
    CHECK(graph == NULL && strstr(anyccl_last_error(), "to rank 0") != NULL);
}

void try_all_unequal(const struct harness *harness)
{
    for (int started = 0; started < 2; started++) {
        all_to_all(harness, 0, started);
        all_to_all(harness, 1, started);
        lists(harness, started);
        for (int root = 0; root < harness->size; root++)
            gather_and_scatter(harness, root, started);
        reductions(harness, started);
        neighbors(harness, started);
    }
}
