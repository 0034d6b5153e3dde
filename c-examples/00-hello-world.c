/* The smallest program: every process prints its rank.
 *
 *     cc 00-hello-world.c -o hello-world -lanyccl
 *     anyccl run -n 4 ./hello-world
 *
 * Started without `anyccl run`, the program is a world of one rank. */
#include <stdio.h>

#include "common/check.h"

int main(void)
{
    int rank, size, local_rank, local_size;

    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));
    ANYCCL_CHECK(anyccl_local_rank(&local_rank));
    ANYCCL_CHECK(anyccl_local_size(&local_size));

    /* The lines of different ranks come out in any order. 02-allreduce shows how to order them. */
    printf("Hello from rank %d of %d (local rank %d of %d)\n", rank, size, local_rank, local_size);

    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
