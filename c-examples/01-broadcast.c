/* A broadcast: rank 0 has data, and afterwards every rank has a copy.
 *
 *     rank 0   a b c d          rank 0   a b c d
 *     rank 1   - - - -    =>    rank 1   a b c d
 *     rank 2   - - - -          rank 2   a b c d
 *
 *     cc 01-broadcast.c -o broadcast -lanyccl
 *     anyccl run -n 4 ./broadcast */
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/rows.h"

enum { COUNT = 4, ROOT = 0 };

int main(void)
{
    int rank;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));

    int data[COUNT];
    for (int i = 0; i < COUNT; i++)
        data[i] = rank == ROOT ? 10 * (i + 1) : 0;

    /* Both buffers are the same memory: the root sends from it, and the others receive into it. */
    ANYCCL_CHECK(anyccl_broadcast(data, data, COUNT, ANYCCL_INT32, ROOT, ANYCCL_WORLD));

    if (print_rows("rank %d has %d %d %d %d", rank, data[0], data[1], data[2], data[3]) != 0)
        return EXIT_FAILURE;

    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
