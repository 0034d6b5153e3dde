/* A job of the C API whose every kind of call may fail: prints "done" if all is right, else the error. */

#include "try.h"

enum { COUNT = 30000 };

int main(void)
{
    static int mine[COUNT], sum[COUNT], all[4 * COUNT];
    int rank, size, got = -1;
    const anyccl_comm_t world = ANYCCL_WORLD;
    anyccl_comm_t half;
    anyccl_request_t request;
    TRY(anyccl_init());
    TRY(anyccl_comm_rank(world, &rank));
    TRY(anyccl_comm_size(world, &size));
    for (int i = 0; i < COUNT; i++)
        mine[i] = rank + i;
    TRY(anyccl_all_reduce(mine, sum, COUNT, ANYCCL_INT32, ANYCCL_SUM, world));
    TRY(anyccl_all_gather(mine, all, COUNT, ANYCCL_INT32, world));
    TRY(anyccl_irecv(&got, 1, ANYCCL_INT32, (rank + size - 1) % size, 3, world, &request));
    TRY(anyccl_send(&rank, 1, ANYCCL_INT32, (rank + 1) % size, 3, world));
    TRY(anyccl_wait(&request));
    TRY(anyccl_comm_split(world, rank % 2, rank, NULL, &half));
    TRY(anyccl_barrier(half));
    TRY(anyccl_comm_destroy(half));
    for (int i = 0; i < COUNT; i++)
        if (sum[i] != size * i + size * (size - 1) / 2 || all[(size - 1) * COUNT + i] != size - 1 + i ||
            got != (rank + size - 1) % size) {
            fprintf(stderr, "WRONG VALUE\n");
            abort();
        }
    TRY(anyccl_finalize());
    puts("done");
    return 0;
}
