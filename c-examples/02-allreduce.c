/* A sum over the ranks: every rank contributes a vector, and every rank gets the sum of all vectors.
 *
 *     rank 0   a0 b0 c0          rank 0   A B C
 *     rank 1   a1 b1 c1    =>    rank 1   A B C        A = a0 + a1 + a2, and so on
 *     rank 2   a2 b2 c2          rank 2   A B C
 *
 *     cc 02-allreduce.c -o allreduce -lanyccl
 *     anyccl run -n 4 ./allreduce */
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/rows.h"

enum { COUNT = 4 };

int main(void)
{
    int rank;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));

    int before[COUNT], after[COUNT];
    for (int i = 0; i < COUNT; i++)
        before[i] = 10 * rank + i;

    ANYCCL_CHECK(anyccl_all_reduce(before, after, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));

    if (rank == 0)
        puts("rank |              before |               after");
    if (print_rows("%4d | %4d %4d %4d %4d | %4d %4d %4d %4d", rank, before[0], before[1], before[2], before[3],
                   after[0], after[1], after[2], after[3]) != 0)
        return EXIT_FAILURE;

    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
