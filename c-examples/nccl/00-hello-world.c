/* The smallest NCCL program: every rank prints its number.
 *
 *     cc 00-hello-world.c -o hello-world -lnccl
 *     ./hello-world 4 */
#include "common/ranks.h"

int main(int argc, char **argv)
{
    ncclUniqueId id;
    ncclComm_t comm;
    int size = ranks_wanted(argc, argv), rank = start_ranks(size, &id);
    int own, count, device, version;

    NCCL_CHECK(ncclCommInitRank(&comm, size, id, rank));
    NCCL_CHECK(ncclCommUserRank(comm, &own));
    NCCL_CHECK(ncclCommCount(comm, &count));
    NCCL_CHECK(ncclCommCuDevice(comm, &device));
    NCCL_CHECK(ncclGetVersion(&version));

    /* The lines of different ranks come out in any order. 02-allreduce shows how to order them. */
    printf("Hello from rank %d of %d, device %d (NCCL %d)\n", own, count, device, version);

    NCCL_CHECK(ncclCommDestroy(comm));
    return end_ranks(rank, size);
}
