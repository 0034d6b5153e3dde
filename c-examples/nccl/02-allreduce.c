/* A sum over the ranks: every rank contributes a vector, and every rank gets the sum of all vectors.
 *
 *     rank 0   a0 b0 c0          rank 0   A B C
 *     rank 1   a1 b1 c1    =>    rank 1   A B C        A = a0 + a1 + a2, and so on
 *     rank 2   a2 b2 c2          rank 2   A B C
 *
 *     cc 02-allreduce.c -o allreduce -lnccl
 *     ./allreduce 4 */
#include "common/ranks.h"

enum { COUNT = 4 };

int main(int argc, char **argv)
{
    ncclUniqueId id;
    ncclComm_t comm;
    int size = ranks_wanted(argc, argv), rank = start_ranks(size, &id);
    int row[2 * COUNT]; /* before, after */

    NCCL_CHECK(ncclCommInitRank(&comm, size, id, rank));
    for (int i = 0; i < COUNT; i++)
        row[i] = 10 * rank + i;

    NCCL_CHECK(ncclAllReduce(row, row + COUNT, COUNT, ncclInt, ncclSum, comm, NULL));

    /* Rank 0 prints the rows of all, in order. */
    int *rows = malloc(sizeof row * (size_t)size);
    SYSTEM_CHECK(rows != NULL);
    NCCL_CHECK(ncclGroupStart());
    NCCL_CHECK(ncclSend(row, 2 * COUNT, ncclInt, 0, comm, NULL));
    for (int peer = 0; rank == 0 && peer < size; peer++)
        NCCL_CHECK(ncclRecv(rows + 2 * COUNT * peer, 2 * COUNT, ncclInt, peer, comm, NULL));
    NCCL_CHECK(ncclGroupEnd());
    if (rank == 0)
        puts("rank |              before |               after");
    for (int peer = 0; rank == 0 && peer < size; peer++) {
        int *r = rows + 2 * COUNT * peer;
        printf("%4d | %4d %4d %4d %4d | %4d %4d %4d %4d\n", peer, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
    }
    free(rows);

    NCCL_CHECK(ncclCommDestroy(comm));
    return end_ranks(rank, size);
}
