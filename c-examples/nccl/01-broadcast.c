/* A broadcast: rank 0 has four numbers, and afterwards every rank has a copy.
 *
 *     cc 01-broadcast.c -o broadcast -lnccl
 *     ./broadcast 4
 *
 * The buffer is ordinary memory and the stream NULL: with libnccl.so.2 of anyccl the numbers have
 * arrived when the call returns. On a GPU they would have arrived after cudaStreamSynchronize. */
#include "common/ranks.h"

enum { COUNT = 4 };

int main(int argc, char **argv)
{
    ncclUniqueId id;
    ncclComm_t comm;
    int size = ranks_wanted(argc, argv), rank = start_ranks(size, &id);
    int numbers[COUNT] = {0};

    NCCL_CHECK(ncclCommInitRank(&comm, size, id, rank));
    for (int i = 0; rank == 0 && i < COUNT; i++)
        numbers[i] = 10 * (i + 1);

    NCCL_CHECK(ncclBroadcast(numbers, numbers, COUNT, ncclInt, 0, comm, NULL));
    printf("rank %d has %d %d %d %d\n", rank, numbers[0], numbers[1], numbers[2], numbers[3]);

    NCCL_CHECK(ncclCommDestroy(comm));
    return end_ranks(rank, size);
}
