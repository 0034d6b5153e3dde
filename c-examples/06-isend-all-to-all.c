/* An all-to-all with blocks of different sizes, written by hand with sends and receives, beside the
 * built-in call for equal blocks. Programs need this with libraries whose all_to_all takes only equal
 * blocks.
 *
 *     rank 0   to 0: -    to 1: 1    to 2: 2 2          from 0: -    from 1: 10        from 2: 20 20
 *     rank 1   to 0: 10   to 1: 11 11 ...         =>    from 0: 1    from 1: 11 11     ...
 *
 * Three rules make it correct and fast. All receives are started before the first send. All messages are in
 * flight at the same time, so their order does not matter. One wait ends all sends and receives, so no
 * barrier is needed.
 *
 *     cc 06-isend-all-to-all.c -o isend-all-to-all -lanyccl
 *     anyccl run -n 4 ./isend-all-to-all */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/rows.h"

enum { MOST_RANKS = 16, TAG = 0, EQUAL = 1000 };

/* Number of elements that go from one rank to another. Both sides can compute it. */
static size_t block_count(int from, int to)
{
    return (size_t)(from + to);
}

/* Sends block k of `send`, send_counts[k] elements, to rank k, and receives block k of `recv` from rank k.
 * The blocks lie one after the other. */
static int all_to_all_by_hand(const int *send, const size_t *send_counts, int *recv, const size_t *recv_counts,
                              int rank, int size)
{
    anyccl_request_t requests[2 * MOST_RANKS];
    const int *out[MOST_RANKS];
    for (int to = 0; to < size; to++) {
        out[to] = send;
        send += send_counts[to];
    }
    for (int from = 0; from < size; from++) {
        ANYCCL_CHECK(anyccl_irecv(recv, recv_counts[from], ANYCCL_INT32, from, TAG, ANYCCL_WORLD, &requests[from]));
        recv += recv_counts[from];
    }
    /* Each rank begins with itself and goes on around the ranks, so no rank gets all messages at once. */
    for (int step = 0; step < size; step++) {
        const int to = (rank + step) % size;
        ANYCCL_CHECK(
            anyccl_isend(out[to], send_counts[to], ANYCCL_INT32, to, TAG, ANYCCL_WORLD, &requests[size + step]));
    }
    ANYCCL_CHECK(anyccl_wait_all(2 * (size_t)size, requests));
    return 0;
}

int main(void)
{
    int rank, size;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));
    if (size > MOST_RANKS) {
        fprintf(stderr, "this example has room for %d ranks\n", MOST_RANKS);
        return EXIT_FAILURE;
    }

    /* Blocks of different sizes, some of them empty. */
    static int send[MOST_RANKS * 2 * MOST_RANKS], recv[MOST_RANKS * 2 * MOST_RANKS];
    size_t counts[MOST_RANKS], sent = 0, wrong = 0, at = 0;
    for (int peer = 0; peer < size; peer++) {
        counts[peer] = block_count(rank, peer);
        for (size_t i = 0; i < counts[peer]; i++)
            send[sent++] = 10 * rank + peer;
    }
    /* In this example a rank receives from each rank as much as it sends to it. */
    if (all_to_all_by_hand(send, counts, recv, counts, rank, size) != 0)
        return EXIT_FAILURE;
    for (int from = 0; from < size; from++)
        for (size_t i = 0; i < counts[from]; i++)
            wrong += recv[at++] != 10 * from + rank;

    /* Equal blocks, by hand and by the built-in call. */
    size_t equal[MOST_RANKS];
    int *all = malloc(3 * (size_t)size * EQUAL * sizeof *all);
    if (all == NULL) {
        fprintf(stderr, "rank %d: out of memory\n", rank);
        return EXIT_FAILURE;
    }
    int *by_hand = all + size * EQUAL, *built_in = by_hand + size * EQUAL;
    for (int i = 0; i < size * EQUAL; i++)
        all[i] = rank * size * EQUAL + i;
    for (int peer = 0; peer < size; peer++)
        equal[peer] = EQUAL;
    if (all_to_all_by_hand(all, equal, by_hand, equal, rank, size) != 0)
        return EXIT_FAILURE;
    ANYCCL_CHECK(anyccl_all_to_all(all, built_in, EQUAL, ANYCCL_INT32, ANYCCL_WORLD));
    const int same = memcmp(by_hand, built_in, (size_t)size * EQUAL * sizeof *all) == 0;
    free(all);

    if (print_rows("rank %d: %zu of %zu elements wrong; %s as all_to_all", rank, wrong, at,
                   same ? "the same" : "NOT THE SAME") != 0)
        return EXIT_FAILURE;
    ANYCCL_CHECK(anyccl_finalize());
    return wrong == 0 && same ? 0 : EXIT_FAILURE;
}
