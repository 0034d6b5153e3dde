/* A job that survives a failure: a rank dies in the middle of the work, and the others finish the work.
 *
 *     cc 08-survive.c -o survive -lanyccl
 *     anyccl run -n 4 --keep-going ./survive
 *
 *     ranks  0 1 2 3     0 1 x 3             0 1 2           old rank 3 is rank 2 now
 *     round  1 2 3       4: 2 is killed      4 5 6 7 8       the round is repeated
 *                        the others get ANYCCL_ERR_PEER_LOST and call anyccl_comm_shrink
 *
 * The work is a sum over TERMS terms per round. The surviving ranks share the terms. */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"

enum { ROUNDS = 8, FATAL_ROUND = 4, TERMS = 1000 };

/* Sum of the terms of one round that belong to this rank: every size-th term. */
static int64_t share(int round, int rank, int size)
{
    int64_t sum = 0;
    for (int64_t term = rank; term < TERMS; term += size)
        sum += round * term;
    return sum;
}

/* Replaces a failed communicator by one of the surviving ranks. */
static int go_on(anyccl_comm_t *comm)
{
    anyccl_comm_t survivors;
    ANYCCL_CHECK(anyccl_comm_shrink(*comm, NULL, &survivors));
    /* anyccl_finalize ends the world. Any other failed communicator is destroyed here. */
    if (*comm != ANYCCL_WORLD)
        ANYCCL_CHECK(anyccl_comm_destroy(*comm));
    *comm = survivors;
    return 0;
}

int main(void)
{
    int world_rank, world_size;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&world_rank));
    ANYCCL_CHECK(anyccl_world_size(&world_size));
    /* With one rank there is no victim: no rank would survive. */
    int victim = world_size > 1 ? world_size / 2 : -1;

    anyccl_comm_t comm = ANYCCL_WORLD;
    int64_t total = 0;
    for (int round = 1; round <= ROUNDS;) {
        int rank, size;
        ANYCCL_CHECK(anyccl_comm_rank(comm, &rank));
        ANYCCL_CHECK(anyccl_comm_size(comm, &size));

        if (round == FATAL_ROUND && world_rank == victim)
            raise(SIGKILL);

        int64_t mine = share(round, rank, size), sum;
        anyccl_status_t status = anyccl_all_reduce(&mine, &sum, 1, ANYCCL_INT64, ANYCCL_SUM, comm);
        if (status == ANYCCL_ERR_PEER_LOST) {
            /* The library has logged which rank was lost, and in which call. */
            if (go_on(&comm) != 0)
                return EXIT_FAILURE;
            continue; /* Repeat the round: no rank has its sum, as the dead rank did not contribute. */
        }
        ANYCCL_CHECK(status);
        total += sum;
        if (rank == 0)
            printf("round %d: sum %" PRId64 " by %d of %d ranks\n", round, sum, size, world_size);
        round++;
    }

    int rank;
    ANYCCL_CHECK(anyccl_comm_rank(comm, &rank));
    if (rank == 0)
        printf("total %" PRId64 "\n", total);
    if (comm != ANYCCL_WORLD)
        ANYCCL_CHECK(anyccl_comm_destroy(comm));
    /* After a failure of the world, finalize is local. */
    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
